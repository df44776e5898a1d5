/// The bodies of the admin listener.
enum AdminSchemas {
    static let all: [OpenAPISchemas.Schema] = []
}
