// Preloaded into the supervisor's children: a child must not outlive a killed supervisor.
process.on("disconnect", () => process.exit(1));
// Health check of the event loop by the supervisor; any answer counts.
process.on("message", (message) => message === "ping" && process.send("pong", () => {}));
// The listener must not keep an idle child alive.
process.channel?.unref();
