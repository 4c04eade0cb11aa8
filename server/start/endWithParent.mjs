// Preloaded into the supervisor's child processes, which must not outlive a killed supervisor.
process.on("disconnect", () => process.exit(1));
// Answers the supervisor's health check of the event loop; any answer counts.
process.on("message", (message) => message === "ping" && process.send("pong", () => {}));
// The listener must not keep an idle child alive.
process.channel?.unref();
