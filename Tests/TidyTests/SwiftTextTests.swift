import Testing

@Suite struct SwiftTextTests {
    @Test(arguments: [
        ("let a = 1  // two", "let a = 1  ", "// two"),
        ("let a = \"b // c\"", "let a = \"\"", ""),
        ("let a = \"b\\\"c\" + d", "let a = \"\" + d", ""),
        ("let a = \"b\\(c(\"d\"))e\" + f", "let a = \"(c(\"\"))\" + f", ""),
        ("let a = ##\"b\"# \\(c)\"## + d", "let a = \"\" + d", ""),
        ("let a /* b */ = 1", "let a  = 1", " b "),
        ("let a /* b /* c */ d */ = 1", "let a  = 1", " b  c  d "),
        ("func `a // b`() {}", "func ``() {}", ""),
    ])
    func `a line is parted into code and comment`(line: String, code: String, comment: String) {
        let text = SwiftText([line])
        #expect(text.code == [code])
        #expect(text.comments == [comment])
    }

    @Test func `strings and comments of several lines are followed`() {
        let text = SwiftText(["let a = \"\"\"", "b! \\(c) \"d\"", "\"\"\" + e", "/* f", "g */ h"])
        #expect(text.code == ["let a = \"", "(c)", "\" + e", "", " h"])
        #expect(text.comments == ["", "", "", " f", "g "])
    }
}
