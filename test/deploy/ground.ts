/** What every part of the run needs: a fresh emulator, a shell, and the documented commands. */
import type { Checkout } from './checkout.ts';
import type { CommandLine } from './command-line.ts';
import type { DocumentedCommands } from './documented-commands.ts';
import type { Report } from './report.ts';
import type { StackResource, Survey } from './survey.ts';
import type { WebhookEndpoint } from './traffic.ts';

export interface Ground {
  readonly report: Report;
  readonly shell: CommandLine;
  readonly deployCommands: DocumentedCommands;
  readonly rotateCommands: DocumentedCommands;
  readonly survey: Survey;
  readonly webhookEndpoint: WebhookEndpoint;
  readonly endpoint: string;
  readonly baseUrl: string;
  readonly releases: Releases;
}

/** Checkouts of the code that is deployed, of its next release, and of one that cannot be deployed. */
export interface Releases {
  readonly first: Checkout;
  readonly next: Checkout;
  readonly broken: Checkout;
}

/** What the first commands create and the later ones use. */
export interface Deployed {
  readonly outputs: Readonly<Record<string, string>>;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A token issued before every rotation. */
  readonly token: string;
}

export const stackName = 'messaging-gateway-local';
export const keptStackName = 'messaging-gateway-production';

/** The last of a command's output, where it says what went wrong. */
export const endOf = (output: string): string => output.slice(-2000);

export const describe = (resources: readonly StackResource[]): string =>
  resources.map(({ type, id }) => `${type} ${id}`).join(', ');
