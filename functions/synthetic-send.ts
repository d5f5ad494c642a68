/** Runs every five minutes. Sends a message with a test token, as a client does, and counts a failure if it is not delivered. */
import { randomBytes } from 'node:crypto';
import { callGateway, newSyntheticSecret, syntheticSender } from '../shared/client/synthetic-send.ts';
import { carriersIn } from '../shared/contract/channels.ts';
import { syntheticClientId } from '../shared/contract/mode.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { countMetric } from '../shared/platform/log.ts';

const context = { ...contextOf(environmentOf<'synthetic-send'>()), random: randomBytes };
const { clock, env, log, sleep } = context;
const send = syntheticSender({
  call: callGateway(env.TOKEN_ISSUER),
  clientId: syntheticClientId,
  newSecret: (now) => newSyntheticSecret(context, now),
  smsCarriers: carriersIn(env.SMS_CARRIER),
  clock,
  sleep,
});

export async function handler(): Promise<void> {
  const sent = await send();
  const { outcome, messageId: message_id } = sent;
  countMetric('SyntheticSendFailed', outcome === 'failed' ? 1 : 0);
  if (sent.outcome === 'failed') {
    log.error('synthetic send', { outcome, message_id, reason: sent.reason });
    return;
  }
  const { handOverMs: hand_over_ms, deliveryMs: delivery_ms } = sent;
  log.info('synthetic send', { outcome, message_id, hand_over_ms, delivery_ms });
}
