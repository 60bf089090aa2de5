import Glibc

/// A moment in the fields of the calendar, in UTC.
struct CivilDate {
    let year: Int
    let month: Int
    let day: Int
    let weekday: Int
    let hour: Int
    let minute: Int
    let second: Int

    init(secondsSinceEpoch seconds: Int64) {
        var time = time_t(seconds)
        var fields = tm()
        gmtime_r(&time, &fields)
        year = Int(fields.tm_year) + 1900
        month = Int(fields.tm_mon) + 1
        day = Int(fields.tm_mday)
        weekday = Int(fields.tm_wday)
        hour = Int(fields.tm_hour)
        minute = Int(fields.tm_min)
        second = Int(fields.tm_sec)
    }

    var weekdayName: String { ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][weekday] }
    var monthName: String {
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][month - 1]
    }
    var clock: String { "\(twoDigits(hour)):\(twoDigits(minute)):\(twoDigits(second))" }
}

func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

/// Seconds since 1970 by the machine's clock, for the `Date` of an answer.
func secondsSinceEpochNow() -> Int64 { Int64(time(nil)) }

/// Reads a date in the form that this server itself writes (clients send back what they got); nil for any other.
func secondsSinceEpoch(dateFieldValue value: String) -> Int64? {
    let words = value.split { $0 == " " || $0 == ":" }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard words.count == 8, words[7] == "GMT", let month = months.firstIndex(of: String(words[2])) else { return nil }
    let numbers = [words[1], words[3], words[4], words[5], words[6]].compactMap { Int32($0) }
    guard numbers.count == 5 else { return nil }
    var fields = tm()
    fields.tm_mday = numbers[0]
    fields.tm_mon = Int32(month)
    fields.tm_year = numbers[1] - 1900
    fields.tm_hour = numbers[2]
    fields.tm_min = numbers[3]
    fields.tm_sec = numbers[4]
    let seconds = Int64(timegm(&fields))
    return dateFieldValue(secondsSinceEpoch: seconds) == value ? seconds : nil
}
