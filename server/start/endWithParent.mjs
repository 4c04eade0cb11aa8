// Preloaded into the supervisor's children: a child must not outlive a supervisor that was killed.
process.on("disconnect", () => process.exit(1));
// Listening must not keep a child alive that has nothing left to do.
process.channel?.unref();
