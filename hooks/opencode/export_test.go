package opencode

// PluginWaiting is Plugin with another limit, in milliseconds.
var PluginWaiting = pluginWaiting
