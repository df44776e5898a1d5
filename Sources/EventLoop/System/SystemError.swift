/// A system call that failed: which one, and with what errno.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    package var description: String { "\(call): \(System.message(for: code))" }

    /// The process or the machine has no descriptor left: waiting helps, repeating at once does not.
    var isOutOfDescriptors: Bool { code == System.tooManyOpenFiles || code == System.fileTableFull }
}
