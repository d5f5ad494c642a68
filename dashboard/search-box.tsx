/** The search field of every page: whatever people have at hand, such as a number, an id, a reference or a name. */
import Input, { type InputProps } from '@cloudscape-design/components/input';
import { useEffect, useRef, useState } from 'react';
import { submitted } from './components/form.ts';
import { go, linkTo } from './route.ts';

/** Whether a key is typed into something, where it must not do anything else. */
function isTyped({ target, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  const isEditable =
    target instanceof HTMLElement &&
    target.matches('input, textarea, select, [contenteditable], [role=dialog] *');
  return isEditable || ctrlKey || altKey || metaKey;
}

export function SearchBox() {
  const field = useRef<InputProps.Ref>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyped(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const [text, setText] = useState('');
  const search = submitted(() => {
    const wanted = text.trim();
    if (wanted === '') return;
    setText('');
    go(linkTo('search', undefined, { q: wanted }));
  });
  return (
    <search>
      <form onSubmit={search}>
        <Input
          ref={field}
          type="search"
          ariaLabel="Search"
          placeholder="Number, id, reference or client (/)"
          value={text}
          onChange={({ detail }) => setText(detail.value)}
        />
      </form>
    </search>
  );
}
