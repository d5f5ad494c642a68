/** The choice of how many rows a page has, beside the pages of a list. */
import Select from '@cloudscape-design/components/select';
import { choosePageSize, pageSizes, usePageSize } from '../page-size.ts';
import { useListState } from '../route.ts';

export function PageSize() {
  const size = usePageSize();
  const { change } = useListState();
  return (
    <div className="page-size">
      <Select
        ariaLabel="Rows per page"
        selectedOption={{ value: size, label: `${size} rows` }}
        options={pageSizes.map((value) => ({ value, label: `${value} rows` }))}
        onChange={({ detail }) => {
          choosePageSize(detail.selectedOption.value ?? pageSizes[0]);
          // Pages of another length begin elsewhere.
          change({}, { replace: true });
        }}
      />
    </div>
  );
}
