/**
 * A campaign scheduled for one second beside another client's messages, while every call that creates a schedule is
 * throttled, refused, or its response lost. Prints the longest waits; exits with 1 if a message of the other client was
 * handed over later than a second, or the campaign or a retry of its webhooks came early or more than two seconds late.
 * `node test/faults/campaign.ts [seed] [messages]`; the seed changes nothing here.
 */
import { runBesideCampaign } from '../support/message/campaign-run.ts';

const total = Number(process.argv[3] ?? 1000);
for (const fault of ['throttle', 'fail_before', 'fail_after'] as const) {
  const { otherSeconds, campaignSeconds, retriesLateSeconds } = await runBesideCampaign(total, fault);
  const within = (seconds: readonly number[], most: number): boolean =>
    seconds.length > 0 && seconds.every((each) => each >= 0 && each <= most);
  const holds =
    within(otherSeconds, 1) &&
    within(campaignSeconds, 2) &&
    within(retriesLateSeconds, 2) &&
    retriesLateSeconds.length === campaignSeconds.length * 5;
  const longest = (seconds: readonly number[]): string => `${Math.max(...seconds).toFixed(2)} s`;
  console.log(
    `no schedule (${fault}): ${campaignSeconds.length} scheduled messages at most ${longest(campaignSeconds)} late,`,
    `${retriesLateSeconds.length} retries ${longest(retriesLateSeconds)},`,
    `${otherSeconds.length} other messages after ${longest(otherSeconds)}${holds ? '' : ' VIOLATION'}`,
  );
  if (!holds) process.exitCode = 1;
}
