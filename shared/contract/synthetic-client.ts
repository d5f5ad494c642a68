/**
 * The client of synthetic sends, which each gateway creates for itself: it has no secret but those of its test data, which the
 * function that sends makes and keeps in its memory only. Every row of it has this id or that of its test data.
 */
import { clientIdIn } from './mode.ts';

export const syntheticClientId = 'client_synthetic';

/** Whether data are of synthetic sends. No cap stops them: nothing is sent, and nobody pays. */
export function isSynthetic(clientId: string): boolean {
  return clientId === clientIdIn('test', syntheticClientId);
}
