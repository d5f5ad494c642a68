/**
 * The mode of a client's data: `live`, or `test` for data that its test keys send and store (contract, section 17).
 * Test data has its own id, `client_…-test`, so that every table, counter, list and queue group separates it from
 * live data. Settings are read by the client's own id.
 */

export const modes = ['live', 'test'] as const;
export type Mode = (typeof modes)[number];

const testEnding = '-test';

export function modeOf(clientId: string): Mode {
  return clientId.length > testEnding.length && clientId.endsWith(testEnding) ? 'test' : 'live';
}

/** Returns the client's own id, whose settings both modes use. */
export function settingsIdOf(clientId: string): string {
  return modeOf(clientId) === 'test' ? clientId.slice(0, -testEnding.length) : clientId;
}

/** Returns the id under which the client's data of this mode is stored. */
export function clientIdIn(mode: Mode, clientId: string): string {
  const id = settingsIdOf(clientId);
  return mode === 'test' ? id + testEnding : id;
}

/** Returns the displayed name of the client's data of this mode. */
export function nameIn(mode: Mode, name: string): string {
  return mode === 'test' ? `${name} (test)` : name;
}

const testDaysMax = 30;

/** Returns the days for which rows of this client are kept. Test data is kept for 30 days at most. */
export function keptDays(clientId: string | undefined, retentionDays: number): number {
  const isTest = clientId !== undefined && modeOf(clientId) === 'test';
  return isTest ? Math.min(retentionDays, testDaysMax) : retentionDays;
}

/** Returns the field of responses and webhooks that marks test data; live data has none. */
export function modeField(clientId: string): { mode?: 'test' } {
  return modeOf(clientId) === 'test' ? { mode: 'test' } : {};
}
