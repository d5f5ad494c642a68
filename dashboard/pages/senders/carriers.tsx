/** The carriers of the stage, in the order in which they are asked, and whether their credentials work. */
import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { CarrierView } from '../../../shared/admin/carriers.ts';
import { useResponse } from '../../api/queries.ts';
import { List } from '../../components/list.tsx';
import { LoadFailure } from '../../components/loaded.tsx';
import { Time } from '../../components/time.tsx';
import { linkTo } from '../../route.ts';
import { channelNames } from '../../value-names.ts';

/** Each look is a call of every vendor. */
const refreshMs = 300_000;

export function Carriers() {
  const query = useResponse('listCarriers', {}, undefined, { refreshEveryMs: refreshMs });
  return (
    <>
      <LoadFailure query={query} />
      <List<CarrierView>
        title="Carriers"
        description="The next one is asked where the one before has provably not taken a message."
        isLoading={query.isPending}
        columns={[
          {
            title: 'Carrier',
            minWidth: 150,
            cell: ({ carrier, channel, preference }) => (
              <>
                <Box fontWeight="bold">{carrier}</Box>
                <Box fontSize="body-s">
                  {channelNames[channel]}, number {preference}
                </Box>
              </>
            ),
          },
          { title: 'Credentials', minWidth: 280, cell: Credentials },
          { title: 'Last answer', minWidth: 200, cell: LastAnswer },
        ]}
        rows={query.data?.carriers}
        empty="Both channels are turned off."
        idOf={({ channel, carrier }) => `${channel} ${carrier}`}
      />
    </>
  );
}

function Credentials({ credentials_work, credentials_answer, next_step }: CarrierView) {
  if (credentials_work === null) return 'None of its own';
  return (
    <>
      <StatusIndicator type={credentials_work ? 'success' : 'error'}>
        {credentials_work ? 'They work' : `They do not work: ${credentials_answer}`}
      </StatusIndicator>
      {next_step === null ? null : <Box fontSize="body-s">{next_step}</Box>}
    </>
  );
}

function LastAnswer({ last_answer: last }: CarrierView) {
  if (last === null) return 'None in the newest messages';
  return (
    <>
      <a href={linkTo('messages', last.message_id)}>{last.outcome.replaceAll('_', ' ')}</a>{' '}
      <Time at={last.at} />
      {last.error_code === null ? null : <Box fontSize="body-s">{last.error_code}</Box>}
    </>
  );
}
