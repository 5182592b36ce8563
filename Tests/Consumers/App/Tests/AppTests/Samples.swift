import Foundation
import Strata

@testable import App

extension AppSchema.V1_0 {
    static func samples(_ transaction: WriteTransaction) throws {
        try transaction.insert(
            User(
                login: "grace", firstname: "Grace", surname: "Hopper", isAdmin: true,
                account: UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")))
    }
}

extension AppSchema.V1_1 {
    static func samples(_ transaction: WriteTransaction) throws {
        try transaction.insert(
            User(
                login: "grace", firstname: "Grace", surname: "Hopper", isAdmin: true,
                account: UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")))
    }
}
