/** Resends every failed webhook of one endpoint since a time, and shows how many are done; it goes on without the page. */
import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import type { ResendView } from '../../../shared/webhook/webhook-response.schema.ts';
import { useResponse } from '../../api/queries.ts';
import { ChoiceField } from '../../components/choice-field.tsx';
import { useForm } from '../../components/form.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { useDashboard } from '../../context.ts';
import { numberText } from '../../value-names.ts';

interface ResendSinceProps {
  readonly clientId: string;
  readonly origin: string;
  /** When the endpoint began to fail, as far as it is known. */
  readonly failingSince: string | null;
}

const hour = 3_600_000;
const day = 24 * hour;

/** A webhook is created before its first attempt fails. */
function choicesAt(failingSince: string | null, now: number) {
  const at = (ms: number): string => new Date(ms).toISOString();
  const earlier = failingSince === null ? undefined : at(Date.parse(failingSince) - hour);
  return [
    ...(earlier === undefined
      ? []
      : [{ value: earlier, label: 'An hour before the endpoint began to fail' }]),
    { value: at(now - day), label: 'Last 24 hours' },
    { value: at(now - 3 * day), label: 'Last 3 days' },
    { value: at(now - 7 * day), label: 'Last 7 days' },
    { value: at(now - 30 * day), label: 'Last 30 days' },
  ];
}

export function ResendSince({ clientId, origin, failingSince }: ResendSinceProps) {
  const { api } = useDashboard();
  const [choices, setChoices] = useState<ReturnType<typeof choicesAt>>();
  const [since, setSince] = useState('');
  const [started, setStarted] = useState<ResendView>();
  const form = useForm({
    send: () => api.send('resendWebhookDeliveries', { client_id: clientId }, { origin, since }),
    onSent: (answer) => {
      setChoices(undefined);
      setStarted(answer);
    },
  });
  const open = (): void => {
    const offered = choicesAt(failingSince, Date.now());
    setChoices(offered);
    setSince(offered[0]?.value ?? '');
  };
  return (
    <>
      <RowAction text="Resend all since…" of={origin} onClick={open} />
      {started === undefined ? null : <Progress clientId={clientId} started={started} />}
      {choices === undefined ? null : (
        <FormDialog
          title="Resend all failed webhooks"
          action="Resend"
          form={form}
          onDismiss={() => setChoices(undefined)}
        >
          <div>
            Every webhook to <span className="id">{origin}</span> that was created since then and has failed
            is sent again.
          </div>
          <ChoiceField label="Since" value={since} options={choices} onChange={setSince} />
        </FormDialog>
      )}
    </>
  );
}

function Progress({ clientId, started }: { readonly clientId: string; readonly started: ResendView }) {
  const { data = started } = useResponse(
    'showWebhookResend',
    { client_id: clientId, resend_id: started.resend_id },
    undefined,
    { inProgress: ({ status }) => status !== 'completed' },
  );
  const { status, resent, matched, skipped } = data;
  return (
    <Box>
      <StatusIndicator type={status === 'completed' ? 'success' : 'in-progress'}>
        {`${numberText(resent)} of ${numberText(matched)} resent`}
        {skipped > 0 ? `, ${numberText(skipped)} skipped` : ''}
      </StatusIndicator>
    </Box>
  );
}
