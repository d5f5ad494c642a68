/**
 * Replaces the packages `@dnd-kit/*` in the dashboard, which saves 16 KB after gzip. Cloudscape's page layout imports them
 * for a drawer, but the dashboard has no drawer and sorts nothing by dragging. If Cloudscape imports another name, the
 * build fails. If a component calls one of these functions, it does not render.
 */
export const KeyboardCode = {};
export const CSS = {};
export const defaultCoordinates = { x: 0, y: 0 };
export const DndContext = notBundled;
export const DragOverlay = notBundled;
export const SortableContext = notBundled;
export const PointerSensor = notBundled;
export const arrayMove = notBundled;
export const canUseDOM = false;
export const closestCenter = notBundled;
export const getOwnerDocument = notBundled;
export const getWindow = notBundled;
export const hasSortableData = notBundled;
export const isKeyboardEvent = notBundled;
export const subtract = notBundled;
export const useSensor = notBundled;
export const useSensors = notBundled;
export const useSortable = notBundled;
export const verticalListSortingStrategy = notBundled;

function notBundled(): never {
  throw new Error('drag and drop is not in the dashboard: see lib/build/bundle-dashboard.ts');
}
