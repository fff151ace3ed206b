// Files that are bundled as the text that they hold.
declare module "*.txt" {
  const text: string;
  export default text;
}
