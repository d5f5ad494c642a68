/** The dialog of one row of limits: every window, an end, a block and a note. Sends only changed fields. */

import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Toggle from '@cloudscape-design/components/toggle';
import { useState } from 'react';
import type { WindowAttribute } from '../../../shared/contract/rate-limits-and-caps.ts';
import { limitFault, plainLimit } from '../../../shared/limit/entered-limits.ts';
import { changedFields } from '../../components/changed-fields.ts';
import { NoteField } from '../../components/edited-row.tsx';
import { FormDialog, useForm } from '../../components/form.tsx';
import { DateTimeField, TextField } from '../../components/form-fields.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import type { EndpointLimits } from './limit-field.ts';
import { limitTitles, placeholderOf, savedNotice } from './limit-field.ts';

export function LimitRowForm({ row, onClose }: { row: EndpointLimits; onClose: () => void }) {
  const { api, notify } = useDashboard();
  const { client_id, windows, endpoint } = row;
  const first = valuesOf(row);
  const form = useForm({
    first,
    fields: [...windows, 'expires_at', 'note'],
    send: (values) => api.send('setLimits', { client_id }, { endpoint, ...changesOf(row, values) }),
    onSent: (saved) => notify(...savedNotice(saved)),
    onClose,
  });
  const { values } = form;
  const faults = windows.map((window) =>
    values[window] === first[window] ? undefined : limitFault(row, values[window]),
  );
  /** Counts the changes by buttons, so that the fields are rendered again. */
  const [shifts, setShifts] = useState(0);
  const setExpiry = (expires_at: string): void => {
    form.change({ expires_at });
    setShifts(shifts + 1);
  };
  const expireIn = (days: number): void => {
    const held = Date.parse(values.expires_at);
    const from = Number.isNaN(held) ? Date.now() : held;
    setExpiry(new Date(from + days * 86_400_000).toISOString().replace(/:\d\d\.\d{3}Z$/, ':00Z'));
  };
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
            placeholder={placeholderOf(row, window, 'no limit')}
          />
        ))}
      </ColumnLayout>
      {row.cap === null ? (
        <Toggle checked={values.blocked} onChange={({ detail }) => form.change({ blocked: detail.checked })}>
          Block this endpoint: its requests are refused with 403
        </Toggle>
      ) : null}
      <DateTimeField
        key={shifts}
        {...form.field('expires_at')}
        label="Expires at"
        description="In your time zone. Afterwards the row has no effect. Leave empty for no end."
        actions={
          <>
            <Button formAction="none" onClick={() => expireIn(7)}>
              +1 week
            </Button>
            {values.expires_at === '' ? null : (
              <Button formAction="none" variant="link" onClick={() => setExpiry('')}>
                Never
              </Button>
            )}
          </>
        }
      />
      <NoteField {...form.field('note')} />
    </FormDialog>
  );
}

function changesOf(row: EndpointLimits, values: ReturnType<typeof valuesOf>) {
  const limits = row.windows.map((window) => [window, plainLimit(row, values[window])]);
  const plain = { ...values, ...Object.fromEntries(limits) };
  return changedFields(valuesOf(row), plain, (name) => name.startsWith('per_'));
}

function valuesOf({ override, expires_at, note, blocked }: EndpointLimits) {
  const limit = (window: WindowAttribute): string => String(override?.[window] ?? '');
  return {
    per_minute: limit('per_minute'),
    per_hour: limit('per_hour'),
    per_day: limit('per_day'),
    per_month: limit('per_month'),
    expires_at: expires_at ?? '',
    note: note ?? '',
    blocked,
  };
}
