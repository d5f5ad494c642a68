/** What every send needs, whatever its channel. */
import type * as z from 'zod/mini';
import type { AllowanceOf } from '../../cap/allowance.ts';
import type { SendersOf } from '../../sender/select-sender.ts';
import type { MessageStore } from '../store/message-store.ts';
import type { DryRunDependencies } from './dry-run.ts';

export interface SendDependencies extends DryRunDependencies {
  readonly messages: MessageStore;
  readonly allowanceOf: AllowanceOf;
  /** The countries of clients without a list of their own; undefined for all. */
  readonly stageCountries?: readonly string[] | undefined;
  readonly sendersOf: SendersOf;
  /** Accepts URLs that this deployment may call. */
  readonly webhookUrl: z.ZodMiniType<string>;
}
