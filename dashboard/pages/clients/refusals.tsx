/** Refused requests of a client, by hour, endpoint and reason, with the last example if it is still stored. */
import { useResponse } from '../../api/queries.ts';
import { TimeFilter } from '../../components/filters.tsx';
import { List } from '../../components/list.tsx';
import { linkTo, useListState } from '../../route.ts';

export function Refusals({ clientId }: { readonly clientId: string }) {
  const { last, since, until } = useListState().filters;
  const query = useResponse('listRefusals', {}, { client_id: clientId, last, since, until });
  return (
    <List
      title="Refused requests"
      description="With 400, 403 or 429, by UTC hour. Each number is the least that happened, and more than half of it. Of more than eight a minute only some are kept; the logs have all."
      filter={<TimeFilter placeholder="Last 24 hours" />}
      columns={[
        { title: 'Reason', field: 'reason', minWidth: 150 },
        {
          // Requests with errors in different fields have the same reason.
          title: 'Last example',
          minWidth: 200,
          cell: ({ last }) => {
            if (last === null) return '–';
            if (last.details.length === 0) return last.message;
            return last.details.map(({ field, message }) => `${field}: ${message}`).join(' ');
          },
        },
        { title: 'At least', field: 'at_least', minWidth: 90 },
        { title: 'Endpoint', field: 'endpoint', minWidth: 180 },
        { title: 'Hour', field: 'hour', minWidth: 150, isTime: true },
        {
          title: 'Last request',
          field: 'last_request_id',
          minWidth: 180,
          link: ({ last_request_id: q }) => linkTo('search', undefined, { q }),
        },
      ]}
      rows={query.data?.refusals}
      query={query}
      csvName={`refusals-of-${clientId}`}
      emptyTitle="No refused requests"
      empty="None was refused in this time. Refusals are kept for a week."
      idOf={({ hour, endpoint, reason }) => `${hour} ${endpoint} ${reason}`}
    />
  );
}
