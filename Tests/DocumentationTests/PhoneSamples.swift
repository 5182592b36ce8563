#if os(iOS)
    import Foundation
    import Movies
    import Strata
    import UIKit

    // The code samples of the documentation that only a phone can run.

    /// A part of an app that has a store.
    protocol Library: Sendable {
        func use(_ store: Store)
        func report(_ error: any Error)
    }

    func migrate(_ url: URL, for library: any Library) {
        let progress = Progress()
        ProcessInfo.processInfo.performExpiringActivity(withReason: "Update the library") { isExpired in
            if isExpired { return progress.cancel() }
            var options = StoreOptions()
            options.migration = .resumable
            options.report(to: progress)
            do {
                library.use(try Store(at: url, schema: MoviesSchema.self, options: options))
            } catch is CancellationError {
                // The next launch goes on.
            } catch {
                library.report(error)
            }
        }
    }

    func suspendInBackground(_ store: Store) {
        let center = NotificationCenter.default
        center.addObserver(forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main) { _ in
            try? store.suspend()
        }
        center.addObserver(forName: UIApplication.willEnterForegroundNotification, object: nil, queue: .main) { _ in
            store.resume()
        }
    }
#endif
