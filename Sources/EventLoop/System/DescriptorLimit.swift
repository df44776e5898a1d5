/// How many descriptors the process may have open at once (RLIMIT_NOFILE).
package enum DescriptorLimit {
    /// Raises the soft limit to the hard one, as far as the system lets it, and answers with what holds then.
    package static func raise() -> Int { System.raiseDescriptorLimit() }
}
