import type { SpawnOptions } from "node:child_process";

export function handOver(command: string, args: readonly string[], options: SpawnOptions): Promise<number>;
