/** The status of a message, webhook, client or key, with an icon and a colour. */
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { Status } from '../../shared/message/message.ts';
import type { DeliveryState as WebhookState } from '../../shared/webhook/delivery.ts';
import type { DeliverySummary } from '../../shared/webhook/webhook-response.schema.ts';
import type { Column } from './columns.ts';
import { Secondary, Time } from './text.tsx';

const messageIcons: Readonly<Record<Status, StatusIndicatorProps.Type>> = {
  scheduled: 'pending',
  queued: 'pending',
  sending: 'in-progress',
  sent: 'in-progress',
  delivered: 'success',
  read: 'success',
  failed: 'error',
  expired: 'warning',
  canceled: 'stopped',
  received: 'success',
};

const webhookIcons: Readonly<Record<WebhookState, StatusIndicatorProps.Type>> = {
  pending: 'pending',
  attempting: 'in-progress',
  retry_scheduled: 'pending',
  acknowledged: 'success',
  failed: 'error',
  skipped: 'stopped',
};

const icons = {
  ...messageIcons,
  ...webhookIcons,
  enabled: 'success',
  disabled: 'stopped',
  malformed: 'error',
  revoked: 'stopped',
} as const;

export const messageStatuses = Object.keys(messageIcons);
export const webhookStates = Object.keys(webhookIcons);

const changesWithinSeconds: ReadonlySet<Status | WebhookState> = new Set([
  'queued',
  'sending',
  'sent',
  'pending',
  'attempting',
]);

/** Returns true if the status of a message or webhook will soon change, unless something is wrong. */
export function isInProgress(state: Status | WebhookState): boolean {
  return changesWithinSeconds.has(state);
}

export function State({ of }: { readonly of: keyof typeof icons }) {
  return (
    // A gateway that is newer than the loaded dashboard may send an unknown status.
    <StatusIndicator type={icons[of] ?? 'info'} wrapText={false}>
      {of.replaceAll('_', ' ')}
    </StatusIndicator>
  );
}

/** Shows a webhook's state, the last response (unless it acknowledged the webhook), and the time of the next attempt. */
function DeliveryState({ state, last_status, last_error, next_due_at }: DeliverySummary) {
  return (
    <>
      <State of={state} />
      {state === 'acknowledged' ? null : (
        <Secondary>{last_status === null ? last_error : `HTTP ${last_status}`}</Secondary>
      )}
      {state === 'retry_scheduled' ? (
        <Secondary>
          Next attempt <Time at={next_due_at} />
        </Secondary>
      ) : null}
    </>
  );
}

export const deliveryStateColumn: Column<DeliverySummary> = {
  title: 'Status',
  minWidth: 140,
  cell: DeliveryState,
};
