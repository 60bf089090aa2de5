@_exported public import SyncCore
