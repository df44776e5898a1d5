// swift-tools-version: 6.2
import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

func room(
    _ name: String, _ knows: [Target.Dependency], exclude: [String] = [], plugins: [Target.PluginUsage] = []
) -> Target {
    .target(name: name, dependencies: knows, exclude: exclude, swiftSettings: house, plugins: plugins)
}

func tests(_ name: String, _ knows: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: knows, exclude: exclude, swiftSettings: house)
}

let package = Package(
    name: "rouse",
    products: [
        .executable(name: "rouse", targets: ["Rouse"]),
        .executable(name: "rouse-loadtest", targets: ["RouseLoadtest"]),
    ],
    targets: [
        // C libraries: headers only, one importing Swift file each.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),

        // Rooms, from the pure middle outwards.
        room("Domain", []),
        room("Wire", ["COpenSSL", "CNGHTTP2"]),
        room("EventLoop", ["Wire", "CLinux"]),
        room("HTTP", ["Wire", "EventLoop"]),
        room("Telemetry", []),
        room("Engine", ["Domain"]),
        room("Store", ["Domain", "Engine", "Wire", "EventLoop", "CPostgres"], plugins: ["EmbedSQL"]),
        room(
            "Providers", ["Domain", "Engine", "Wire", "EventLoop", "HTTP"], exclude: ["Catalogs"],
            plugins: ["EmbedCatalogs"]),
        room("Gateway", ["Domain", "Engine", "Wire", "EventLoop", "HTTP", "Telemetry"]),
        room("API", ["Domain", "Engine", "Wire", "EventLoop", "HTTP", "Telemetry", "Gateway"]),
        room("Simulator", ["Wire", "EventLoop", "HTTP"]),
        .executableTarget(
            name: "Rouse",
            dependencies: [
                "Domain", "Engine", "Store", "Providers", "Gateway", "API", "Telemetry", "Simulator", "HTTP",
                "EventLoop",
                "Wire",
            ], swiftSettings: house),
        .executableTarget(
            name: "RouseLoadtest",
            dependencies: [
                "Domain", "Engine", "Store", "Providers", "Simulator", "HTTP", "EventLoop", "Wire",
            ], path: "loadtest", exclude: ["README.md", "ThirdParty"], swiftSettings: house),
        .executableTarget(name: "embed", path: "Sources/EmbedTool", swiftSettings: house),
        .plugin(name: "EmbedSQL", capability: .buildTool(), dependencies: ["embed"]),
        .plugin(name: "EmbedCatalogs", capability: .buildTool(), dependencies: ["embed"]),

        tests("DomainTests", ["Domain"]),
        tests("WireTests", ["Wire"]),
        tests("EventLoopTests", ["EventLoop", "Wire"]),
        tests("HTTPTests", ["HTTP", "EventLoop", "Wire"]),
        tests("EngineTests", ["Engine", "Domain"]),
        tests("StoreTests", ["Store", "Engine", "Domain", "Wire", "EventLoop"]),
        tests("ProvidersTests", ["Providers", "Simulator", "Engine", "Domain", "HTTP", "Wire", "EventLoop"]),
        .target(
            name: "InMemory",
            dependencies: ["API", "Gateway", "Engine", "Domain", "HTTP", "Wire", "EventLoop", "Telemetry"],
            path: "Tests/InMemory", swiftSettings: house),
        tests(
            "GatewayTests",
            ["InMemory", "Gateway", "Engine", "Domain", "HTTP", "Wire", "EventLoop", "Telemetry"]),
        tests(
            "APITests",
            ["InMemory", "API", "Gateway", "Engine", "Domain", "HTTP", "Wire", "EventLoop", "Telemetry"]),
        tests(
            "RouseTests",
            ["Rouse", "API", "Engine", "Domain", "Store", "Simulator", "HTTP", "Wire", "EventLoop"]),
        tests("LoadtestTests", ["RouseLoadtest", "Wire"]),
        tests("Simulation", ["Engine", "Domain"], exclude: ["Mutations"]),
        tests("TidyTests", []),
    ],
    swiftLanguageModes: [.v6]
)
