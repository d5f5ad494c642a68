/** The dialog that edits one row of limits: every window, the expiry, the block and the note. Sends only changed fields. */

import ColumnLayout from '@cloudscape-design/components/column-layout';
import Toggle from '@cloudscape-design/components/toggle';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import type { WindowAttribute } from '../../shared/contract/rate-limits-and-caps.ts';
import { limitFault, plainLimit } from '../../shared/limit/entered-limits.ts';
import { useDashboard } from '../dashboard-context.ts';
import { numberText } from '../value-names.ts';
import { changedFields } from './changed-fields.ts';
import { NoteField } from './edited-row.tsx';
import { FormDialog, useForm } from './form.tsx';
import { DateTimeField, TextField } from './form-fields.tsx';

export type EndpointLimits = RowOf<'showLimits', 'limits'>;

/** Shortest first. */
export const limitTitles: Readonly<Record<WindowAttribute, string>> = {
  per_minute: 'Per minute',
  per_hour: 'Per hour',
  per_day: 'Per day',
  per_month: 'Per month',
};

export function LimitRowForm({ row, onClose }: { row: EndpointLimits; onClose: () => void }) {
  const { api, notify } = useDashboard();
  const { client_id, windows, endpoint } = row;
  const first = valuesOf(row);
  const form = useForm({
    first,
    fields: [...windows, 'expires_at', 'note'],
    send: (values) => api.send('setLimits', { client_id }, { endpoint, ...changesOf(row, values) }),
    onSent: ({ status, status_message }) => {
      // The row can still be invalid because of another value.
      const [type, effect] =
        status === 'invalid'
          ? (['warning', 'The row is still invalid.'] as const)
          : (['success', 'The change takes effect within 60 seconds.'] as const);
      notify(type, `Limits of ${endpoint} saved. ${effect} ${status_message ?? ''}`);
    },
    onClose,
  });
  const { values } = form;
  const faults = windows.map((window) =>
    values[window] === first[window] ? undefined : limitFault(row, values[window]),
  );
  const isComplete =
    Object.keys(changesOf(row, values)).length > 0 && faults.every((fault) => fault === undefined);
  return (
    <FormDialog title={`Limits of ${endpoint}`} action="Save" form={form} isComplete={isComplete}>
      <ColumnLayout columns={2}>
        {windows.map((window, index) => (
          <TextField
            key={window}
            {...form.field(window)}
            label={`${limitTitles[window]}${row.currency === null ? '' : `, in ${row.currency}`}`}
            {...(faults[index] === undefined ? {} : { error: faults[index] })}
            inputMode="decimal"
            autoFocus={index === 0}
            placeholder={placeholderOf(row, window)}
          />
        ))}
      </ColumnLayout>
      {row.cap === null ? (
        <Toggle checked={values.blocked} onChange={({ detail }) => form.change({ blocked: detail.checked })}>
          Block this endpoint: its requests are refused with 403
        </Toggle>
      ) : null}
      <Toggle
        checked={values.mode === 'observe'}
        onChange={({ detail }) => form.change({ mode: detail.checked ? 'observe' : '' })}
      >
        Only observe: count what the row would refuse, and refuse nothing
      </Toggle>
      <DateTimeField
        {...form.field('expires_at')}
        label="Expires at"
        description="In your time zone. Afterwards the row has no effect. Leave empty for no end."
      />
      <NoteField {...form.field('note')} />
    </FormDialog>
  );
}

/** Returns the default limit as the placeholder of a field, in the same format as entered values. */
function placeholderOf({ cap, defaults }: EndpointLimits, window: WindowAttribute): string {
  const limit = defaults?.[window];
  if (limit === undefined) return 'no limit';
  return cap === 'spend' ? String(limit) : numberText(limit);
}

function changesOf(row: EndpointLimits, values: ReturnType<typeof valuesOf>) {
  const limits = row.windows.map((window) => [window, plainLimit(row, values[window])]);
  const plain = { ...values, ...Object.fromEntries(limits) };
  return changedFields(valuesOf(row), plain, (name) => name.startsWith('per_'));
}

function valuesOf({ override, expires_at, note, blocked, mode }: EndpointLimits) {
  const limit = (window: WindowAttribute): string => String(override?.[window] ?? '');
  return {
    per_minute: limit('per_minute'),
    per_hour: limit('per_hour'),
    per_day: limit('per_day'),
    per_month: limit('per_month'),
    expires_at: expires_at ?? '',
    note: note ?? '',
    blocked,
    mode: mode === 'observe' ? mode : '',
  };
}
