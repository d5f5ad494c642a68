/** Within which time scans find what the relay did not pass on. */

export const scannedWithinMs = 45 * 60_000;
/** A scan reads ten batches of lost records, and the sweep of webhooks follows it. */
export const lostFoundWithinMs = 100 * 60_000;
