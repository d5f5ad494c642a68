/** The description of each operation, by its route's name. A missing one is a type error. */
import type { RouteName } from '../../../shared/contract/routes.ts';
import type { Description } from './description.ts';
import type { Tag } from './introduction.ts';
import * as account from './operations/account-operations.ts';
import * as messages from './operations/message-operations.ts';
import * as oneTimePasswords from './operations/otp-operations.ts';
import * as sends from './operations/send-operations.ts';
import * as suppressions from './operations/suppression-operations.ts';
import * as access from './operations/token-operations.ts';
import * as webhookDeliveries from './operations/webhook-delivery-operations.ts';
import * as webhookEndpoints from './operations/webhook-endpoint-operations.ts';

/** Pages and metadata have no description, because clients have no methods for them. */
export type OperationName = Exclude<
  RouteName,
  'getOpenApiDocument' | 'getRoot' | 'getDocs' | 'getDocsPage' | 'getWellKnown'
>;

export const operations: Readonly<Record<OperationName, Description & { readonly tag: Tag }>> = {
  ...tagged('Authentication', access),
  ...tagged('Sending', sends),
  ...tagged('One-time passwords', oneTimePasswords),
  ...tagged('Messages', messages),
  ...tagged('Account', account),
  ...tagged('Webhook endpoints', webhookEndpoints),
  ...tagged('Webhook deliveries', webhookDeliveries),
  ...tagged('Suppressions', suppressions),
};

function tagged<Name extends string>(tag: Tag, described: Readonly<Record<Name, Description>>) {
  const entries = Object.entries<Description>(described).map(([name, one]) => [name, { tag, ...one }]);
  return Object.fromEntries(entries) as Record<Name, Description & { readonly tag: Tag }>;
}

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}
