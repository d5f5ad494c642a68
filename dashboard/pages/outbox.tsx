/**
 * Outbox: the messages that the simulated carrier received, with their bodies. It receives a client's test messages, and all
 * messages if it is the carrier of the stage.
 */

import { usePagedAnswer } from '../api/queries.ts';
import { Fields, NumberSearch, useClientFilter } from '../components/filters.tsx';
import { List } from '../components/list.tsx';
import { Page } from '../components/page.tsx';
import { linkTo, useListState, useMode } from '../route.ts';
import { channelNames } from '../value-names.ts';

export function OutboxPage() {
  const { filter, isFiltered } = useListState();
  const isTest = useMode() === 'test';
  const client = useClientFilter();
  const [to, clientId] = [filter('to'), isTest ? filter('client_id') : ''];
  const isAsked = !isTest || clientId !== '';
  const query = { to, client_id: clientId };
  const list = usePagedAnswer('listOutbox', {}, query, 'messages', { enabled: isAsked });
  return (
    <Page
      title="Outbox"
      description={`The messages that the simulated carrier received${isTest ? ' in the last day' : ''}, the newest first.`}
    >
      <List
        {...list}
        rows={isAsked ? list.rows : []}
        title="Messages"
        filter={
          isTest ? (
            <Fields perRow={2}>
              {client.field}
              <NumberSearch label="Recipient" name="to" />
            </Fields>
          ) : (
            <NumberSearch label="Recipient" name="to" />
          )
        }
        columns={[
          { title: 'Recipient', field: 'to', minWidth: 140 },
          { title: 'Text', field: 'body', minWidth: 200, cell: ({ body }) => body },
          { title: 'Time', field: 'at', minWidth: 150, isTime: true },
          { title: 'Sender', field: 'from', minWidth: 110 },
          { title: 'Channel', field: 'channel', minWidth: 100, cell: ({ channel }) => channelNames[channel] },
          {
            title: 'Message',
            field: 'message_id',
            minWidth: 180,
            link: ({ message_id }) => linkTo('messages', message_id),
          },
        ]}
        empty={
          isAsked ? 'No message was sent on this stage.' : 'Choose a client to see what its test keys sent.'
        }
        isFiltered={isFiltered}
        idOf={(entry) => `${entry.message_id} ${entry.at}`}
      />
    </Page>
  );
}
