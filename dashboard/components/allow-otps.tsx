/** A button that ends a hold on a client's one-time passwords to a country. It first shows the evidence for the hold. */

import Alert from '@cloudscape-design/components/alert';
import Link from '@cloudscape-design/components/link';
import Table from '@cloudscape-design/components/table';
import { type ComponentProps, useState } from 'react';
import type { ResponseOf } from '../../shared/admin/http/admin-operations.ts';
import { useResponse } from '../api/queries.ts';
import { useDashboard } from '../dashboard-context.ts';
import { linkTo } from '../route.ts';
import { numberText, percent } from '../value-names.ts';
import { ClientName } from './client-name.tsx';
import { FormDialog, useForm } from './form.tsx';
import { RowAction } from './list.tsx';
import { Loaded } from './loaded.tsx';
import { Facts } from './page.tsx';
import { Secondary, Time } from './text.tsx';

export function AllowOtps({ clientId, country }: { readonly clientId: string; readonly country: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <RowAction text="Allow…" of={`one-time passwords to ${country}`} onClick={() => setIsOpen(true)} />
      {isOpen ? <AllowDialog {...{ clientId, country }} onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

function AllowDialog({
  clientId,
  country,
  onClose,
}: ComponentProps<typeof AllowOtps> & { readonly onClose: () => void }) {
  const { api } = useDashboard();
  const path = { client_id: clientId, country };
  const query = useResponse('showOtpEvidence', path, undefined, { isFixed: true });
  const form = useForm({
    send: () => api.send('allowOtps', path, {}),
    done: `One-time passwords to ${country} are allowed. The change takes effect within 20 seconds.`,
    onClose,
  });
  return (
    <FormDialog title={`Allow one-time passwords to ${country}?`} action="Allow" form={form} size="large">
      <Alert type="warning">
        They were held because so few were verified, as when a program requests passwords to earn from the
        messages. Allow them once the client has explained the requests below, or has stopped them.
      </Alert>
      <Loaded query={query}>{(evidence) => <Evidence clientId={clientId} evidence={evidence} />}</Loaded>
    </FormDialog>
  );
}

function Evidence({ clientId, evidence }: { clientId: string; evidence: ResponseOf<'showOtpEvidence'> }) {
  const { hold, messages, more, by_country, by_prefix } = evidence;
  const { sends, verified } = hold;
  const judged = { client_id: clientId, channel: 'sms', since: hold.since, until: hold.held_at };
  return (
    <>
      <Facts
        columns={3}
        facts={{
          Client: <ClientName id={clientId} />,
          Verified: `${numberText(verified)} of ${numberText(sends)} (${percent(verified / sends)})`,
          'Judged since': <Time at={hold.since} />,
          Held: <Time at={hold.held_at} />,
          Messages: <Link href={linkTo('messages', undefined, judged)}>SMS of this time</Link>,
        }}
      />
      <Counts title="By country" rows={by_country.map((row) => ({ ...row, of: row.country }))} />
      <Counts
        title="By the beginning of the number"
        rows={by_prefix.map((row) => ({ ...row, of: `${row.prefix}…` }))}
      />
      <Secondary>
        {`Of ${more ? 'the newest ' : ''}${numberText(messages)} SMS with a password since then.`}
      </Secondary>
    </>
  );
}

function Counts({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly { readonly of: string; readonly passwords: number; readonly verified: number }[];
}) {
  return (
    <Table
      variant="embedded"
      contentDensity="compact"
      ariaLabels={{ tableLabel: title }}
      items={rows}
      trackBy="of"
      empty="No SMS with a password is stored of this time."
      columnDefinitions={[
        { id: 'of', header: title, isRowHeader: true, cell: ({ of }) => of },
        { id: 'passwords', header: 'Passwords', cell: ({ passwords }) => numberText(passwords) },
        {
          id: 'verified',
          header: 'Verified',
          cell: ({ passwords, verified }) => `${numberText(verified)} (${percent(verified / passwords)})`,
        },
      ]}
    />
  );
}
