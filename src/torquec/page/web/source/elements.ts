// Elements of the page, made without ever parsing text as HTML: names from files stay text.

type Attributes = Record<string, string | number | boolean>;
type Child = Node | string;

function filled<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

export function math(tag: string, attributes: Attributes = {}, ...children: Child[]): MathMLElement {
  return filled(document.createElementNS("http://www.w3.org/1998/Math/MathML", tag) as MathMLElement, attributes, children);
}

export function byId(name: string): HTMLElement {
  const found = document.getElementById(name);
  if (!found) throw new Error(`the page has no element ${name}`);
  return found;
}
