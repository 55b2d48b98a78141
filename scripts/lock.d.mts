export interface Lock {
  holdFor(pid: number): void;
  release(): void;
}
export function acquire(lock: string, onWait?: (owners: string) => void): Promise<Lock>;
