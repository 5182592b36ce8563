import Dispatch

/// Gives the main actor a task, and waits for it.
///
/// - Returns: Whether the main actor has run the task. It cannot if the caller runs on it.
func isMainActorFree() -> Bool {
    let hasRun = DispatchSemaphore(value: 0)
    Task { @MainActor in hasRun.signal() }
    return hasRun.wait(timeout: .now() + 600) == .success
}
