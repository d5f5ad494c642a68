/**
 * CSV files of lists with several pages: read while the user goes on, with the progress and the file above every page. The tab
 * reads them, not the gateway, which would need a store of files with phone numbers for it.
 */
import Button from '@cloudscape-design/components/button';
import type { FlashbarProps } from '@cloudscape-design/components/flashbar';
import { useCallback, useEffect, useRef, useState } from 'react';
import { allRows } from './api/pages.ts';
import { type CsvExport, csvOf } from './components/columns.ts';
import { csvAddress, saveFile } from './components/download.ts';
import { numberText } from './value-names.ts';

type Notice = FlashbarProps.MessageDefinition;

/** The notices of all exports of the tab, and how another one is begun. */
export function useCsvExports() {
  const [held, setHeld] = useState<ReadonlyMap<string, Notice>>(new Map());
  const notices = [...held.values()];
  const running = useRef(new Map<string, AbortController>());

  // Nobody waits for a file after the sign-out.
  useEffect(() => {
    const exports = running.current;
    return () => {
      for (const one of exports.values()) one.abort();
    };
  }, []);

  const isReading = notices.some(({ type }) => type === 'in-progress');
  useEffect(() => {
    if (!isReading) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isReading]);

  const begin = useCallback(<Row,>({ name, columns, readPage }: CsvExport<Row>): void => {
    // The address has the filters.
    const key = `${name} ${location.hash}`;
    if (running.current.has(key)) return;
    const id = crypto.randomUUID();
    const fileName = `${name}.csv`;
    const stop = new AbortController();
    running.current.set(key, stop);
    const remove = (): void => setHeld((before) => new Map([...before].filter(([other]) => other !== id)));
    const put = (notice: Notice): void =>
      setHeld((before) =>
        new Map(before).set(id, { id, dismissLabel: 'Dismiss', onDismiss: remove, ...notice }),
      );
    const putProgress = (count: number): void =>
      put({
        type: 'in-progress',
        loading: true,
        header: `${fileName}: ${numberText(count)} rows read`,
        content:
          'It goes on while you use other pages. It ends if you reload or close this tab, or sign out.',
        action: (
          <Button
            onClick={() => {
              stop.abort();
              running.current.delete(key);
              remove();
            }}
          >
            Cancel
          </Button>
        ),
      });
    const read = async (): Promise<void> => {
      putProgress(0);
      const all = await allRows(readPage, (count) => {
        if (!stop.signal.aborted) putProgress(count);
        return !stop.signal.aborted;
      });
      if (all === undefined) return;
      const { rows, leftOut } = all;
      const address = csvAddress(csvOf(columns, rows));
      saveFile(fileName, address);
      put({
        type: leftOut === undefined ? 'success' : 'warning',
        content:
          leftOut === undefined
            ? `${fileName} has all ${numberText(rows.length)} rows.`
            : `${fileName} has ${numberText(rows.length)} rows. ${leftOut}`,
        // A browser may ask the user before it saves what was not clicked a moment ago.
        action: (
          <Button href={address} download={fileName}>
            Save again
          </Button>
        ),
        dismissible: true,
        onDismiss: () => {
          URL.revokeObjectURL(address);
          remove();
        },
      });
    };
    read()
      .catch((error: Error) => {
        if (stop.signal.aborted) return;
        put({ type: 'error', content: `${fileName} is not complete: ${error.message}`, dismissible: true });
      })
      .finally(() => {
        if (running.current.get(key) === stop) running.current.delete(key);
      });
  }, []);

  return { notices, begin };
}
