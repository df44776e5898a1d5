/// The bounds a parser holds its peer to.
package struct HTTPLimits: Sendable {
    /// Longest request line or status line, without CRLF; beyond it 414.
    package var startLineBytes: Int
    /// All header lines together, with CRLFs; beyond it 431. Trailers have the same bound.
    package var headerBytes: Int
    /// Most header lines; beyond it 431.
    package var headerCount: Int
    /// Longest body, decoded; beyond it 413.
    package var bodyBytes: Int
    /// Longest chunk-size line, extensions included; beyond it 400.
    package var chunkLineBytes: Int

    /// The server's defaults.
    package init(
        startLineBytes: Int = 8_192, headerBytes: Int = 16_384, headerCount: Int = 100,
        bodyBytes: Int = 1_048_576, chunkLineBytes: Int = 256
    ) {
        self.startLineBytes = startLineBytes
        self.headerBytes = headerBytes
        self.headerCount = headerCount
        self.bodyBytes = bodyBytes
        self.chunkLineBytes = chunkLineBytes
    }
}
