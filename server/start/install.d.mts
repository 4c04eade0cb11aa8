type Lock = { packages: Record<string, object> };

export const tools: readonly string[];
export function refuseOldNode(): void;
export function installPackages(options?: { isQuiet?: boolean; withTools?: boolean; folder?: string }): Promise<void>;
export function withoutTools(lock: Lock): Lock;
