/** Shows an administrator the carriers of the stage: if their credentials work, and their last responses. */
import { type Channel, channels } from '../contract/channels.ts';
import type { AdminContext } from './admin-context.ts';
import { searchMessages } from './find-messages.ts';

const newestMessages = 100;

export async function listCarriers(ctx: AdminContext) {
  const { carriers, checkCredentials } = ctx;
  const names = [...new Set(channels.flatMap((channel) => carriers[channel]))];
  const checks = new Map(
    await Promise.all(names.map(async (name) => [name, await checkCredentials(name)] as const)),
  );
  const views = channels.map(async (channel) => {
    const answers = carriers[channel].length === 0 ? undefined : await lastAnswers(ctx, channel);
    return carriers[channel].map((carrier, index) => {
      const check = checks.get(carrier);
      return {
        channel,
        carrier,
        /** 1 for the carrier that is tried first. */
        preference: index + 1,
        /** Null if the carrier has no credentials. */
        credentials_work: check?.works ?? null,
        /** The response of the carrier to the check of its credentials. */
        credentials_answer: check?.answer ?? null,
        next_step: check?.works === false ? remedyFor(carrier) : null,
        /** The latest response of the carrier to a message of the last day; null if there is none. */
        last_answer: answers?.get(carrier) ?? null,
      };
    });
  });
  return { carriers: (await Promise.all(views)).flat() };
}

function remedyFor(carrier: string): string {
  const output = `${carrier.slice(0, 1).toUpperCase()}${carrier.slice(1)}SecretArn`;
  return `Put credentials that work into the secret whose ARN is the output ${output}; they are in force within a minute (docs/carriers.md).`;
}

async function lastAnswers(ctx: AdminContext, channel: Channel) {
  // Searches live messages only, because no test message reaches a carrier.
  const { messages } = await searchMessages(
    { ...ctx, mode: 'live' },
    { channel, direction: 'outbound', limit: newestMessages },
  );
  const answers = new Map<
    string,
    {
      readonly message_id: string;
      readonly at: string;
      readonly outcome: string;
      readonly error_code: string | null;
    }
  >();
  for (const { message_id, attempts = [], error } of messages) {
    for (const { carrier, at, outcome } of attempts) {
      const known = answers.get(carrier);
      if (known !== undefined && known.at >= at) continue;
      answers.set(carrier, { message_id, at, outcome, error_code: error?.code ?? null });
    }
  }
  return answers;
}
