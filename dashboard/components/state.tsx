/** The status of a message, webhook, client or key, with an icon and a colour. */
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';

export const channelNames = { sms: 'SMS', whatsapp: 'WhatsApp' } as const;

const icons: Readonly<Record<string, StatusIndicatorProps.Type>> = {
  scheduled: 'pending',
  queued: 'pending',
  sending: 'in-progress',
  sent: 'in-progress',
  delivered: 'success',
  read: 'success',
  received: 'success',
  failed: 'error',
  expired: 'warning',
  canceled: 'stopped',
  pending: 'pending',
  attempting: 'in-progress',
  retry_scheduled: 'pending',
  acknowledged: 'success',
  enabled: 'success',
  disabled: 'stopped',
  revoked: 'stopped',
};

const changesWithinSeconds: ReadonlySet<string> = new Set([
  'queued',
  'sending',
  'sent',
  'pending',
  'attempting',
]);

/** Whether a message or webhook soon has another status, where nothing is wrong. */
export function isInProgress(state: string): boolean {
  return changesWithinSeconds.has(state);
}

export function State({ of }: { readonly of: string }) {
  return (
    <StatusIndicator type={icons[of] ?? 'info'} wrapText={false}>
      {of.replaceAll('_', ' ')}
    </StatusIndicator>
  );
}
