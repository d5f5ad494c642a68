/**
 * The mode of a client's data: `live`, or `test` for what its test keys send and store (contract, section 17). Test data is
 * stored under an id of its own, `client_…-test`, so that every table, counter, list and queue group separates it from live
 * data. Settings are read by the id of the client itself.
 */

export const modes = ['live', 'test'] as const;
export type Mode = (typeof modes)[number];

const testEnding = '-test';

export function modeOf(clientId: string): Mode {
  return clientId.length > testEnding.length && clientId.endsWith(testEnding) ? 'test' : 'live';
}

/** The id of the client itself, whose settings both modes use. */
export function settingsIdOf(clientId: string): string {
  return modeOf(clientId) === 'test' ? clientId.slice(0, -testEnding.length) : clientId;
}

/** The id under which the client's data of this mode is stored. */
export function clientIdIn(mode: Mode, clientId: string): string {
  const id = settingsIdOf(clientId);
  return mode === 'test' ? id + testEnding : id;
}

/** The name that people see for the client's data of this mode. */
export function nameIn(mode: Mode, name: string): string {
  return mode === 'test' ? `${name} (test)` : name;
}

const testDaysMax = 30;

/** How long a row of this client is kept, where the stage keeps rows for `retentionDays`. */
export function keptDays(clientId: string | undefined, retentionDays: number): number {
  const isTest = clientId !== undefined && modeOf(clientId) === 'test';
  return isTest ? Math.min(retentionDays, testDaysMax) : retentionDays;
}

/** The field of responses and webhooks that marks test data; live data has none. */
export function modeField(clientId: string): { mode?: 'test' } {
  return modeOf(clientId) === 'test' ? { mode: 'test' } : {};
}

/**
 * The client of synthetic sends, which each gateway creates for itself: it has no secret but those of its test data, which the
 * function that sends makes and keeps in its memory only. Every row of it has this id or that of its test data.
 */
export const syntheticClientId = 'client_synthetic';

/** Whether data are of synthetic sends. No cap stops them: nothing is sent, and nobody pays. */
export function isSynthetic(clientId: string): boolean {
  return clientId === clientIdIn('test', syntheticClientId);
}
