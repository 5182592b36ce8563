@testable import Laundry
import Strata

extension LaundrySchema.V1_0 {
    /// One answer of the server, with ten laundries and six items for each of them.
    static func samples(_ transaction: WriteTransaction) throws {
        let data = LaundryData(storeID: 100, code: 200, status: "suc")
        try transaction.insert(data)
        for index in 0...9 {
            let laundry = Laundry(
                storeID: .init(rawValue: 100 + index), id: 3456, name: "dubai mall \(index * 7)",
                photo: index % 2 == 0 ? "laundry1" : "laundry2", masterID: data.storeID, masterPosition: index)
            try transaction.insert(laundry)
            for place in 0...5 {
                try transaction.insert(
                    LaundryItem(
                        storeID: .init(rawValue: 1000 + 10 * index + place), name: "laundryItem\(place)",
                        price: Double(place) * 2, masterID: laundry.storeID, masterPosition: place))
            }
        }
    }
}

extension LaundrySchema.V2_0 {
    /// The same answer in the format of the newer server, and a failed answer.
    static func samples(_ transaction: WriteTransaction) throws {
        let data = LaundryData(storeID: 100, code: 200)
        let detail = LaundryDetail(storeID: 100, masterID: data.storeID)
        try transaction.insert(data)
        try transaction.insert(detail)
        var laundries: [Laundry.ID] = []
        for index in 0...9 {
            let laundry = Laundry(
                storeID: .init(rawValue: 100 + index), id: 3456, name: "dubai mall \(index * 7)",
                photo: index % 2 == 0 ? "laundry1" : "laundry2")
            try transaction.insert(laundry)
            laundries.append(laundry.storeID)
            var items: [LaundryItem.ID] = []
            for place in 0...5 {
                let item = LaundryItem(
                    storeID: .init(rawValue: 1000 + 10 * index + place), name: "laundryItem\(place)",
                    price: Double(place) * 2)
                try transaction.insert(item)
                items.append(item.storeID)
            }
            try transaction.setRelated(laundry, \.items, to: items)
        }
        try transaction.setRelated(detail, \.success, to: laundries)

        let failed = LaundryDetail(storeID: 101)
        try transaction.insert(failed)
        try transaction.insert(LaundryFailure(storeID: 101, id: 7))
        try transaction.setRelated(failed, \.failure, to: 101)
    }
}
