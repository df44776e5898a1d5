import Foundation
import PackagePlugin

/// Turns the target's `Catalogs/*.json` into a Swift constant.
@main struct EmbedCatalogs: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let folder = module.directoryURL.appending(path: "Catalogs")
        let catalogs = try FileManager.default
            .contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedCatalogs.swift")
        return [
            .buildCommand(
                displayName: "Embed \(catalogs.count) catalogs",
                executable: try context.tool(named: "embed").url,
                arguments: ["catalogs", output.path] + catalogs.map(\.path),
                inputFiles: catalogs, outputFiles: [output])
        ]
    }
}
