/** Creates the carriers of the stage, in order of preference; only the settings of these are needed. */
import type { Channel } from '../contract/channels.ts';
import { carrierSecondsMax } from '../contract/hand-over-times.ts';
import { readPrices } from '../contract/prices.ts';
import type { ChosenCarrier } from '../message/dispatch/carrier.ts';
import type { Message } from '../message/message.ts';
import type { Clock } from '../platform/clock.ts';
import type { CarrierContext, CarrierEnvironment, CarrierModule } from './carrier-module.ts';

/** The carriers that may take a message, the preferred one first; none where its channel is turned off. */
type CarriersFor = (message: Message) => readonly ChosenCarrier[];

/** @throws where the stage lacks what one of its carriers needs. */
export function chooseCarriers(
  modules: readonly CarrierModule[],
  env: CarrierEnvironment,
  clock: Clock,
): CarriersFor {
  const common = { env, prices: readPrices(env.PRICES_FILE), clock, timeLimitMs: carrierSecondsMax * 1000 };
  const of = (channel: Channel, name: string) =>
    modules
      .filter(({ descriptor }) => descriptor.name === name)
      .map((module) => carrierOf(module, channel, common));
  const chosen = { sms: of('sms', env.SMS_CARRIER), whatsapp: of('whatsapp', env.WHATSAPP_CARRIER) };
  return ({ channel }) => chosen[channel];
}

function carrierOf(
  module: CarrierModule,
  channel: Channel,
  common: Pick<CarrierContext, 'env' | 'prices' | 'clock' | 'timeLimitMs'>,
): ChosenCarrier {
  const { name, settledBy, indexedByCarrierId } = module.descriptor;
  const context = { ...common, credentials: async () => [], callbackUrl: (path: string) => path };
  const findableByCarrierId = indexedByCarrierId.includes(channel);
  return { ...module.create(channel, context), name, settledBy, findableByCarrierId };
}
