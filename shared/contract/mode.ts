/**
 * The mode of a client's data is `live`, or `test` for data that its test keys send and store (contract, section 17). Test
 * data has its own client id, `client_…-test`, so every table, counter, list and message group separates it from live data.
 * Settings are stored under the client's own id.
 */

export const modes = ['live', 'test'] as const;
export type Mode = (typeof modes)[number];

const testEnding = '-test';

export function modeOf(clientId: string): Mode {
  return clientId.length > testEnding.length && clientId.endsWith(testEnding) ? 'test' : 'live';
}

/** Returns the client's own id, under which the settings of both modes are stored. */
export function settingsIdOf(clientId: string): string {
  return modeOf(clientId) === 'test' ? clientId.slice(0, -testEnding.length) : clientId;
}

/** Returns the id under which the client's data in this mode is stored. */
export function clientIdIn(mode: Mode, clientId: string): string {
  const id = settingsIdOf(clientId);
  return mode === 'test' ? id + testEnding : id;
}

/** Returns the display name of the client's data in this mode. */
export function nameIn(mode: Mode, name: string): string {
  return mode === 'test' ? `${name} (test)` : name;
}

const testDaysMax = 30;

/** Returns how many days rows of this client are kept: at most 30 for test data. */
export function keptDays(clientId: string | undefined, retentionDays: number): number {
  const isTest = clientId !== undefined && modeOf(clientId) === 'test';
  return isTest ? Math.min(retentionDays, testDaysMax) : retentionDays;
}

/** Returns the field that marks test data in responses and webhooks; no field for live data. */
export function modeField(clientId: string): { mode?: 'test' } {
  return modeOf(clientId) === 'test' ? { mode: 'test' } : {};
}
