import Testing

extension Tag {
    /// Tests that move hundreds of megabytes or run for more than some seconds.
    @Tag static var large: Tag
}
