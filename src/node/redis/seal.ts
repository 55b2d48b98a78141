/**
 * Signatures of what goes through a queue, by a password that those who ask and those who work share. Whoever can write to the Redis but does
 * not have that password can neither have work done nor send replies.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** The variable that the password of a queue is read from. */
export const queuePasswordVariable = "DOJO_QUEUE_PASSWORD";

export class Seal {
  private readonly key: Buffer | undefined;

  /** Without a password nothing is signed and everything is taken. */
  constructor(password = process.env[queuePasswordVariable]) {
    const given = password === undefined || password === "" ? undefined : password;
    this.key = given === undefined ? undefined : createHash("sha256").update(`dojo-sim queue\0${given}`).digest();
  }

  get isSet(): boolean {
    return this.key !== undefined;
  }

  /** The signature of some texts or bytes in their order; undefined without a password. */
  sign(parts: readonly (string | Uint8Array)[]): string | undefined {
    if (!this.key) return undefined;
    const hmac = createHmac("sha256", this.key);
    for (const part of parts) {
      const bytes = typeof part === "string" ? Buffer.from(part) : part;
      hmac.update(`${bytes.length}:`).update(bytes);
    }
    return hmac.digest("hex");
  }

  /** True if the signature is right, or none is asked for. */
  accepts(signature: unknown, parts: readonly (string | Uint8Array)[]): boolean {
    const expected = this.sign(parts);
    if (expected === undefined) return true;
    if (typeof signature !== "string" || signature.length !== expected.length) return false;
    return timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
  }
}
