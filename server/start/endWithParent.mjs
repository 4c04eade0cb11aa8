// Preloaded into the supervisor's children: a child must not outlive a supervisor that was killed.
process.on("disconnect", () => process.exit(1));
// The supervisor asks whether the event loop still turns; any answer is a yes.
process.on("message", (message) => message === "ping" && process.send("pong", () => {}));
// Listening must not keep a child alive that has nothing left to do.
process.channel?.unref();
