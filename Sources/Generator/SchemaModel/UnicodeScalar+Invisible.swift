extension Unicode.Scalar {
    /// Whether a reader cannot see the scalar, or sees the text around it in another order: a control, a line separator, a
    /// mark of direction, a filler or a scalar that Unicode has not assigned.
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: true
        default: properties.isDefaultIgnorableCodePoint
        }
    }
}
