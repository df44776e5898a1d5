/// The part of each day in which a user is woken by mentions only, in minutes of the clock on the wall.
///
/// From `start` until that clock next shows `end`: a window may pass midnight, and one that ends when it
/// starts is the whole day. It is the shown time that counts, whatever day it is: when clocks jump over the
/// start, the window begins at the jump; an hour that comes twice is quiet both times.
package struct QuietHours: Equatable, Sendable {
    package static let minutesPerDay = 1_440

    package let start: Int
    /// The first minute that is not quiet any more.
    package let end: Int

    /// Nil: not minutes of a day, 0 to 1,439.
    package init?(start: Int, end: Int) {
        let day = 0..<Self.minutesPerDay
        guard day.contains(start), day.contains(end) else { return nil }
        self.start = start
        self.end = end
    }

    package func contains(minute: Int) -> Bool {
        start < end ? start <= minute && minute < end : minute >= start || minute < end
    }
}
