/**
 * What clients, administrators and people do. Each entry is one kind of step; a run is a list of steps that the seed
 * draws. An operation of the API is named by the actor that uses it, or in `readAtTheEnd`: a new one is one entry in one of
 * these files.
 */
import { type RouteName, routes } from '../../../../shared/contract/routes.ts';
import type { Actor } from './actor.ts';
import { administration } from './administration.ts';
import { attempts } from './attempts.ts';
import { consent } from './consent.ts';
import { days } from './days.ts';
import { edges } from './edges.ts';
import { meanwhile } from './meanwhile.ts';
import { mishaps } from './mishaps.ts';
import { oneTimePasswords } from './one-time-passwords.ts';
import { pages } from './pages.ts';
import { reading } from './reading.ts';
import { sending } from './sending.ts';
import { testKeys } from './test-keys.ts';
import { webhooks } from './webhooks.ts';

export const actors = {
  ...sending,
  ...oneTimePasswords,
  ...consent,
  ...webhooks,
  ...administration,
  ...reading,
  ...attempts,
  ...edges,
  ...days,
  ...testKeys,
  ...pages,
  ...meanwhile,
  ...mishaps,
} as const satisfies Record<string, Actor>;

export type ActorName = keyof typeof actors;
export const actorNames = Object.keys(actors) as ActorName[];

/** Those without a change, whose answers are read when everything has ended, and what has no client. */
const readAtTheEnd = ['getUsage', 'getMessageStatus', 'listMessages'] as const satisfies readonly RouteName[];
const withoutClient = ['getOpenApiDocument', 'getRoot', 'getDocs', 'getDocsPage', 'getWellKnown'] as const;

/** Operations that no entry names. */
export function unusedOperations(): RouteName[] {
  const used = new Set<string>([
    ...Object.values(actors).flatMap(({ uses }): readonly string[] => uses),
    ...readAtTheEnd,
    ...withoutClient,
  ]);
  return (Object.keys(routes) as RouteName[]).filter((name) => !used.has(name));
}
