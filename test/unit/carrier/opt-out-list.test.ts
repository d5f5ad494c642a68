/** The opt-out list of AWS is read and changed by its own client; what AWS says of one number stops no other. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { awsOptOutList } from '../../../shared/carrier/aws/aws-opt-out-list.ts';
import { type OptOutList, OutdatedPosition } from '../../../shared/message/suppression/compare-opt-outs.ts';
import {
  type CarrierServer,
  carrierEnvironment,
  startCarrierServer,
} from '../../support/carrier/carrier-server.ts';

const recipient = '+447700900123';
const listed = {
  OptedOutNumber: recipient,
  OptedOutTimestamp: 1_795_168_800.25,
  EndUserOptedOut: true,
};
const optOut = { recipient, at: new Date('2026-11-20T10:00:00.250Z'), byPerson: true };

let server: CarrierServer;
let list: OptOutList;
beforeAll(async () => {
  server = await startCarrierServer();
  Object.assign(process.env, carrierEnvironment(server.url));
  list = awsOptOutList('Default');
});
afterAll(() => server.close());

const unknownNumber = {
  status: 400,
  error: 'ResourceNotFoundException',
  fields: { ResourceType: 'opted-out-number', ResourceId: recipient },
};
const unknownList = { ...unknownNumber, fields: { ResourceType: 'opt-out-list', ResourceId: 'Default' } };
const refused = {
  status: 400,
  error: 'ConflictException',
  fields: { Reason: 'RESOURCE_MODIFICATION_NOT_ALLOWED' },
};
const invalid = { status: 400, error: 'ValidationException', fields: { Reason: 'FIELD_VALIDATION_FAILED' } };

describe('the list', () => {
  it('is read in pages of a hundred; what is no number of a person is left out', async () => {
    const OptedOutNumbers = [listed, { ...listed, OptedOutNumber: '12345', EndUserOptedOut: false }];
    server.answerWith({ result: { OptedOutNumbers, NextToken: 'two' } });
    expect(await list.page(undefined)).toEqual({ optOuts: [optOut], next: 'two' });
    server.answerWith({ result: { OptedOutNumbers: [] } });
    expect(await list.page('two')).toEqual({ optOuts: [], next: undefined });
    expect(server.requests.slice(-2).map(({ body }) => body)).toEqual([
      { OptOutListName: 'Default', MaxResults: 100 },
      { OptOutListName: 'Default', MaxResults: 100, NextToken: 'two' },
    ]);
  });

  it('is read from its start where AWS does not know a page any more', async () => {
    server.answerWith(invalid);
    await expect(list.page('two')).rejects.toThrow(OutdatedPosition);
    await expect(list.page(undefined)).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('finds, adds and removes a number', async () => {
    server.answerWith({ result: { OptedOutNumbers: [listed] } });
    expect(await list.find(recipient)).toEqual(optOut);
    server.answerWith({ result: listed });
    expect(await list.add(recipient)).toBe(true);
    expect(await list.remove(recipient)).toBe(true);
    expect(server.operations.slice(-3)).toEqual([
      'DescribeOptedOutNumbers',
      'PutOptedOutNumber',
      'DeleteOptedOutNumber',
    ]);
    expect(server.requests.at(-1)?.body).toEqual({ OptOutListName: 'Default', OptedOutNumber: recipient });
  });

  it('that does not have the number is no fault', async () => {
    server.answerWith(unknownNumber);
    expect(await list.find(recipient)).toBeUndefined();
    expect(await list.remove(recipient)).toBe(true);
  });

  it.each([refused, invalid])('that refuses a number (%j) is no fault', async (answer) => {
    server.answerWith(answer);
    expect(await list.find(recipient)).toBeUndefined();
    expect(await list.add(recipient)).toBe(false);
    expect(await list.remove(recipient)).toBe(false);
  });

  it.each([unknownList, { status: 400, error: 'AccessDeniedException' }])(
    'that cannot be used (%j) is thrown, so that an operator learns of it',
    async (answer) => {
      server.answerWith(answer);
      await expect(list.find(recipient)).rejects.toThrow();
      await expect(list.remove(recipient)).rejects.toThrow();
    },
  );
});
