/** Creates the carriers of the stage, in order of preference. A carrier reads only its own settings. */

import { type Channel, carriersIn } from '../contract/channels.ts';
import { modeOf } from '../contract/mode.ts';
import { readPrices } from '../contract/prices.ts';
import type { ChosenCarrier } from '../message/dispatch/carrier.ts';
import type { Message } from '../message/message.ts';
import type { Clock } from '../platform/clock.ts';
import type { CarrierContext, CarrierModule } from './carrier-module.ts';
import type { CredentialsOf } from './carrier-secrets.secrets.ts';

/** The maximum number of seconds in which a carrier must accept a message. */
export const carrierSecondsMax = 8;

/**
 * Returns a function that returns the carriers of a message, the preferred one first; none if the message's channel is off.
 *
 * @throws if a setting that one of the carriers needs is missing.
 */
export function chooseCarriers(
  modules: readonly CarrierModule[],
  env: CarrierContext['env'],
  credentialsOf: CredentialsOf,
  clock: Clock,
): (message: Message) => readonly ChosenCarrier[] {
  const callbacksUrl = `${env.TOKEN_ISSUER}/carriers`;
  const common = {
    env,
    prices: readPrices(env.PRICES_FILE),
    clock,
    timeLimitMs: carrierSecondsMax * 1000,
  };
  const of = (channel: Channel, list: string) =>
    carriersIn(list).map((name) => {
      const module = modules.find(({ descriptor }) => descriptor.name === name);
      if (module === undefined) throw new Error(`there is no carrier ${name}`);
      const { credentials } = module;
      return carrierOf(module, channel, {
        ...common,
        credentials: async () => (credentials === undefined ? [] : credentialsOf(name, credentials)),
        callbackUrl: (path) => `${callbacksUrl}/${name}/${path}`,
      });
    });
  const chosen = { sms: of('sms', env.SMS_CARRIER), whatsapp: of('whatsapp', env.WHATSAPP_CARRIER) };
  const simulated = { sms: of('sms', 'simulator'), whatsapp: of('whatsapp', 'simulator') };
  return ({ channel, client_id }) => {
    const isTest = modeOf(client_id) === 'test';
    // Test messages go to the simulator on every stage. If their channel is off, they are refused like live messages.
    return isTest && chosen[channel].length > 0 ? simulated[channel] : chosen[channel];
  };
}

function carrierOf(module: CarrierModule, channel: Channel, context: CarrierContext): ChosenCarrier {
  const { name, settledBy, hasCredentials } = module.descriptor;
  const carrier = { ...module.create(channel, context), name, settledBy };
  if (!hasCredentials) return carrier;
  return {
    ...carrier,
    async handOver(request) {
      try {
        await context.credentials();
      } catch (error) {
        return { outcome: 'not_taken', reason: String(error) };
      }
      return carrier.handOver(request);
    },
  };
}
