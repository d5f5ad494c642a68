/** What all actors are made of. */

import type { RouteName } from '../../../../shared/contract/routes.ts';
import { endpointKinds, endpointUrl } from '../outside/endpoints.ts';
import type { Asked } from '../outside/record.ts';
import { oneOf, type Random, wholeBetween } from '../random.ts';
import type { Scene, SimulatedClient } from '../scene.ts';
import { type Theme, themes } from './themes.ts';

export interface Act {
  readonly scene: Scene;
  readonly client: SimulatedClient;
  readonly random: Random;
  /** Distinguishes this step from all others. */
  readonly id: string;
}

export interface Actor {
  readonly uses: readonly RouteName[];
  /** How often it acts, by theme; 0 in all others. */
  readonly share: Partial<Readonly<Record<Theme, number>>>;
  act(act: Act): Promise<unknown>;
}

export const everyTheme = (share: number): Record<Theme, number> =>
  Object.fromEntries(themes.map((theme) => [theme, share])) as Record<Theme, number>;

export const texts = ['Your order is on its way', 'Ihr Paket ist da: grüße', 'a'.repeat(200)] as const;

/** A key, the same for all repeats of the step; a step in four has none. */
export function keyOf({ id, random }: Act): string | undefined {
  return random() < 0.25 ? undefined : `key-${id}`;
}

/** Once, or several times at once under the same key. */
export async function sendOften(act: Act, request: Parameters<Scene['ask']>[1]): Promise<Asked[]> {
  const { scene, client, random } = act;
  const times = request.key !== undefined && random() < 0.3 ? wholeBetween(random, 2, 4) : 1;
  const spreadMs = oneOf(random, [0, 20, 1500]);
  return Promise.all(
    Array.from({ length: times }, async (_, i) => {
      await scene.stage.time.sleep(i * spreadMs);
      return scene.ask(client, request);
    }),
  );
}

export function learn({ client }: Act, answers: readonly Asked[]): void {
  for (const { status, lost, answer } of answers) {
    if (status !== 202 || lost === true) continue;
    for (const { message_id } of answer.messages ?? [answer]) {
      if (message_id === undefined || client.messages.includes(message_id)) continue;
      client.messages.push(message_id);
      if (answer.status === 'scheduled') client.scheduled.push(message_id);
    }
  }
}

/** Numbers of this step alone, whose messages are delivered. */
export function ownPeople({ random }: Act, count: number): string[] {
  const first = wholeBetween(random, 0, 900);
  return Array.from({ length: count }, (_, i) => `+4477009${40_000 + (first + i) * 10}`);
}

export async function send(act: Act, route: RouteName, body: object): Promise<Asked[]> {
  const { random } = act;
  const url = random() < 0.2 ? { webhook_url: endpointUrl(oneOf(random, endpointKinds), act.id) } : {};
  const validity =
    random() < 0.3 ? { validity_period: wholeBetween(random, 60, 900) } : { validity_period: 1800 };
  const answers = await sendOften(act, {
    route,
    key: keyOf(act),
    body: { ...body, ...validity, ...url, reference: act.id },
  });
  learn(act, answers);
  return answers;
}

export function known(random: Random, ids: readonly string[]): string | undefined {
  return ids[Math.floor(random() * ids.length)];
}

/** Later than the minute that is the least of a schedule, by every clock, even if the request is repeated for a minute. */
export function laterThan({ stage, skewMaxMs }: Scene, seconds: number): string {
  return new Date(stage.time.now() + skewMaxMs + 60_000 + seconds * 1000).toISOString();
}

/** Also above the highest limit. */
export function limitRow(random: Random): Readonly<Record<string, unknown>> {
  const chosen = random();
  if (chosen < 0.1) return { endpoint: 'messages', per_day: oneOf(random, [10, 40, 200]) };
  if (chosen < 0.2) return { endpoint: 'messages', per_month: oneOf(random, [10, 40, 200]) };
  if (chosen < 0.25) return { endpoint: 'spend', per_day: oneOf(random, [0.05, 0.2, 2]) };
  if (chosen < 0.3) return { endpoint: 'spend', per_month: oneOf(random, [0.05, 0.2, 2]) };
  return {
    endpoint: oneOf(random, [
      'POST /api/v1/sms/send',
      'POST /api/v1/sms/send',
      'POST /api/v1/otp/send',
    ] as const),
    per_minute: oneOf(random, [5, 20, 60, 90_000]),
    per_day: oneOf(random, [15, 40, 500]),
  };
}
