/*! The viewer of regard, Apache-2.0. It contains Lit (BSD-3-Clause, Google LLC) and d3-color, d3-hierarchy, d3-interpolate, d3-scale and d3-scale-chromatic (ISC, Mike Bostock; colour schemes: Apache-2.0, Cynthia Brewer). */
var ft=globalThis,ht=ft.ShadowRoot&&(ft.ShadyCSS===void 0||ft.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,tn=Symbol(),sr=new WeakMap,je=class{constructor(t,n,r){if(this._$cssResult$=!0,r!==tn)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=t,this.t=n}get styleSheet(){let t=this.o,n=this.t;if(ht&&t===void 0){let r=n!==void 0&&n.length===1;r&&(t=sr.get(n)),t===void 0&&((this.o=t=new CSSStyleSheet).replaceSync(this.cssText),r&&sr.set(n,t))}return t}toString(){return this.cssText}},ar=e=>new je(typeof e=="string"?e:e+"",void 0,tn),M=(e,...t)=>{let n=e.length===1?e[0]:t.reduce((r,o,i)=>r+(s=>{if(s._$cssResult$===!0)return s.cssText;if(typeof s=="number")return s;throw Error("Value passed to 'css' function must be a 'css' function result: "+s+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(o)+e[i+1],e[0]);return new je(n,e,tn)},lr=(e,t)=>{if(ht)e.adoptedStyleSheets=t.map(n=>n instanceof CSSStyleSheet?n:n.styleSheet);else for(let n of t){let r=document.createElement("style"),o=ft.litNonce;o!==void 0&&r.setAttribute("nonce",o),r.textContent=n.cssText,e.appendChild(r)}},nn=ht?e=>e:e=>e instanceof CSSStyleSheet?(t=>{let n="";for(let r of t.cssRules)n+=r.cssText;return ar(n)})(e):e;var{is:as,defineProperty:ls,getOwnPropertyDescriptor:cs,getOwnPropertyNames:us,getOwnPropertySymbols:ds,getPrototypeOf:fs}=Object,mt=globalThis,cr=mt.trustedTypes,hs=cr?cr.emptyScript:"",ms=mt.reactiveElementPolyfillSupport,Fe=(e,t)=>e,rn={toAttribute(e,t){switch(t){case Boolean:e=e?hs:null;break;case Object:case Array:e=e==null?e:JSON.stringify(e)}return e},fromAttribute(e,t){let n=e;switch(t){case Boolean:n=e!==null;break;case Number:n=e===null?null:Number(e);break;case Object:case Array:try{n=JSON.parse(e)}catch{n=null}}return n}},dr=(e,t)=>!as(e,t),ur={attribute:!0,type:String,converter:rn,reflect:!1,useDefault:!1,hasChanged:dr};Symbol.metadata??=Symbol("metadata"),mt.litPropertyMetadata??=new WeakMap;var J=class extends HTMLElement{static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(t,n=ur){if(n.state&&(n.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(t)&&((n=Object.create(n)).wrapped=!0),this.elementProperties.set(t,n),!n.noAccessor){let r=Symbol(),o=this.getPropertyDescriptor(t,r,n);o!==void 0&&ls(this.prototype,t,o)}}static getPropertyDescriptor(t,n,r){let{get:o,set:i}=cs(this.prototype,t)??{get(){return this[n]},set(s){this[n]=s}};return{get:o,set(s){let a=o?.call(this);i?.call(this,s),this.requestUpdate(t,a,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(t){return this.elementProperties.get(t)??ur}static _$Ei(){if(this.hasOwnProperty(Fe("elementProperties")))return;let t=fs(this);t.finalize(),t.l!==void 0&&(this.l=[...t.l]),this.elementProperties=new Map(t.elementProperties)}static finalize(){if(this.hasOwnProperty(Fe("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(Fe("properties"))){let n=this.properties,r=[...us(n),...ds(n)];for(let o of r)this.createProperty(o,n[o])}let t=this[Symbol.metadata];if(t!==null){let n=litPropertyMetadata.get(t);if(n!==void 0)for(let[r,o]of n)this.elementProperties.set(r,o)}this._$Eh=new Map;for(let[n,r]of this.elementProperties){let o=this._$Eu(n,r);o!==void 0&&this._$Eh.set(o,n)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(t){let n=[];if(Array.isArray(t)){let r=new Set(t.flat(1/0).reverse());for(let o of r)n.unshift(nn(o))}else t!==void 0&&n.push(nn(t));return n}static _$Eu(t,n){let r=n.attribute;return r===!1?void 0:typeof r=="string"?r:typeof t=="string"?t.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(t=>this.enableUpdating=t),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(t=>t(this))}addController(t){(this._$EO??=new Set).add(t),this.renderRoot!==void 0&&this.isConnected&&t.hostConnected?.()}removeController(t){this._$EO?.delete(t)}_$E_(){let t=new Map,n=this.constructor.elementProperties;for(let r of n.keys())this.hasOwnProperty(r)&&(t.set(r,this[r]),delete this[r]);t.size>0&&(this._$Ep=t)}createRenderRoot(){let t=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return lr(t,this.constructor.elementStyles),t}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(t=>t.hostConnected?.())}enableUpdating(t){}disconnectedCallback(){this._$EO?.forEach(t=>t.hostDisconnected?.())}attributeChangedCallback(t,n,r){this._$AK(t,r)}_$ET(t,n){let r=this.constructor.elementProperties.get(t),o=this.constructor._$Eu(t,r);if(o!==void 0&&r.reflect===!0){let i=(r.converter?.toAttribute!==void 0?r.converter:rn).toAttribute(n,r.type);this._$Em=t,i==null?this.removeAttribute(o):this.setAttribute(o,i),this._$Em=null}}_$AK(t,n){let r=this.constructor,o=r._$Eh.get(t);if(o!==void 0&&this._$Em!==o){let i=r.getPropertyOptions(o),s=typeof i.converter=="function"?{fromAttribute:i.converter}:i.converter?.fromAttribute!==void 0?i.converter:rn;this._$Em=o;let a=s.fromAttribute(n,i.type);this[o]=a??this._$Ej?.get(o)??a,this._$Em=null}}requestUpdate(t,n,r,o=!1,i){if(t!==void 0){let s=this.constructor;if(o===!1&&(i=this[t]),r??=s.getPropertyOptions(t),!((r.hasChanged??dr)(i,n)||r.useDefault&&r.reflect&&i===this._$Ej?.get(t)&&!this.hasAttribute(s._$Eu(t,r))))return;this.C(t,n,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(t,n,{useDefault:r,reflect:o,wrapped:i},s){r&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,s??n??this[t]),i!==!0||s!==void 0)||(this._$AL.has(t)||(this.hasUpdated||r||(n=void 0),this._$AL.set(t,n)),o===!0&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(n){Promise.reject(n)}let t=this.scheduleUpdate();return t!=null&&await t,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[o,i]of this._$Ep)this[o]=i;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[o,i]of r){let{wrapped:s}=i,a=this[o];s!==!0||this._$AL.has(o)||a===void 0||this.C(o,void 0,i,a)}}let t=!1,n=this._$AL;try{t=this.shouldUpdate(n),t?(this.willUpdate(n),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(n)):this._$EM()}catch(r){throw t=!1,this._$EM(),r}t&&this._$AE(n)}willUpdate(t){}_$AE(t){this._$EO?.forEach(n=>n.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),this.updated(t)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(t){return!0}update(t){this._$Eq&&=this._$Eq.forEach(n=>this._$ET(n,this[n])),this._$EM()}updated(t){}firstUpdated(t){}};J.elementStyles=[],J.shadowRootOptions={mode:"open"},J[Fe("elementProperties")]=new Map,J[Fe("finalized")]=new Map,ms?.({ReactiveElement:J}),(mt.reactiveElementVersions??=[]).push("2.1.2");var sn=globalThis,fr=e=>e,pt=sn.trustedTypes,hr=pt?pt.createPolicy("lit-html",{createHTML:e=>e}):void 0,an="$lit$",ee=`lit$${Math.random().toFixed(9).slice(2)}$`,ln="?"+ee,ps=`<${ln}>`,he=document,We=()=>he.createComment(""),Ve=e=>e===null||typeof e!="object"&&typeof e!="function",cn=Array.isArray,wr=e=>cn(e)||typeof e?.[Symbol.iterator]=="function",on=`[ 	
\f\r]`,Ge=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,mr=/-->/g,pr=/>/g,de=RegExp(`>|${on}(?:([^\\s"'>=/]+)(${on}*=${on}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),gr=/'/g,br=/"/g,yr=/^(?:script|style|textarea|title)$/i,un=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),f=un(1),$r=un(2),L=un(3),me=Symbol.for("lit-noChange"),x=Symbol.for("lit-nothing"),xr=new WeakMap,fe=he.createTreeWalker(he,129);function vr(e,t){if(!cn(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return hr!==void 0?hr.createHTML(t):t}var kr=(e,t)=>{let n=e.length-1,r=[],o,i=t===2?"<svg>":t===3?"<math>":"",s=Ge;for(let a=0;a<n;a++){let c=e[a],l,u,d=-1,h=0;for(;h<c.length&&(s.lastIndex=h,u=s.exec(c),u!==null);)h=s.lastIndex,s===Ge?u[1]==="!--"?s=mr:u[1]!==void 0?s=pr:u[2]!==void 0?(yr.test(u[2])&&(o=RegExp("</"+u[2],"g")),s=de):u[3]!==void 0&&(s=de):s===de?u[0]===">"?(s=o??Ge,d=-1):u[1]===void 0?d=-2:(d=s.lastIndex-u[2].length,l=u[1],s=u[3]===void 0?de:u[3]==='"'?br:gr):s===br||s===gr?s=de:s===mr||s===pr?s=Ge:(s=de,o=void 0);let m=s===de&&e[a+1].startsWith("/>")?" ":"";i+=s===Ge?c+ps:d>=0?(r.push(l),c.slice(0,d)+an+c.slice(d)+ee+m):c+ee+(d===-2?a:m)}return[vr(e,i+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),r]},Ke=class e{constructor({strings:t,_$litType$:n},r){let o;this.parts=[];let i=0,s=0,a=t.length-1,c=this.parts,[l,u]=kr(t,n);if(this.el=e.createElement(l,r),fe.currentNode=this.el.content,n===2||n===3){let d=this.el.content.firstChild;d.replaceWith(...d.childNodes)}for(;(o=fe.nextNode())!==null&&c.length<a;){if(o.nodeType===1){if(o.hasAttributes())for(let d of o.getAttributeNames())if(d.endsWith(an)){let h=u[s++],m=o.getAttribute(d).split(ee),g=/([.?@])?(.*)/.exec(h);c.push({type:1,index:i,name:g[2],strings:m,ctor:g[1]==="."?bt:g[1]==="?"?xt:g[1]==="@"?wt:ge}),o.removeAttribute(d)}else d.startsWith(ee)&&(c.push({type:6,index:i}),o.removeAttribute(d));if(yr.test(o.tagName)){let d=o.textContent.split(ee),h=d.length-1;if(h>0){o.textContent=pt?pt.emptyScript:"";for(let m=0;m<h;m++)o.append(d[m],We()),fe.nextNode(),c.push({type:2,index:++i});o.append(d[h],We())}}}else if(o.nodeType===8)if(o.data===ln)c.push({type:2,index:i});else{let d=-1;for(;(d=o.data.indexOf(ee,d+1))!==-1;)c.push({type:7,index:i}),d+=ee.length-1}i++}}static createElement(t,n){let r=he.createElement("template");return r.innerHTML=t,r}};function pe(e,t,n=e,r){if(t===me)return t;let o=r!==void 0?n._$Co?.[r]:n._$Cl,i=Ve(t)?void 0:t._$litDirective$;return o?.constructor!==i&&(o?._$AO?.(!1),i===void 0?o=void 0:(o=new i(e),o._$AT(e,n,r)),r!==void 0?(n._$Co??=[])[r]=o:n._$Cl=o),o!==void 0&&(t=pe(e,o._$AS(e,t.values),o,r)),t}var gt=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:r}=this._$AD,o=(t?.creationScope??he).importNode(n,!0);fe.currentNode=o;let i=fe.nextNode(),s=0,a=0,c=r[0];for(;c!==void 0;){if(s===c.index){let l;c.type===2?l=new Se(i,i.nextSibling,this,t):c.type===1?l=new c.ctor(i,c.name,c.strings,this,t):c.type===6&&(l=new yt(i,this,t)),this._$AV.push(l),c=r[++a]}s!==c?.index&&(i=fe.nextNode(),s++)}return fe.currentNode=he,o}p(t){let n=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(t,r,n),n+=r.strings.length-2):r._$AI(t[n])),n++}},Se=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,r,o){this.type=2,this._$AH=x,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=r,this.options=o,this._$Cv=o?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=pe(this,t,n),Ve(t)?t===x||t==null||t===""?(this._$AH!==x&&this._$AR(),this._$AH=x):t!==this._$AH&&t!==me&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):wr(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==x&&Ve(this._$AH)?this._$AA.nextSibling.data=t:this.T(he.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:r}=t,o=typeof r=="number"?this._$AC(t):(r.el===void 0&&(r.el=Ke.createElement(vr(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===o)this._$AH.p(n);else{let i=new gt(o,this),s=i.u(this.options);i.p(n),this.T(s),this._$AH=i}}_$AC(t){let n=xr.get(t.strings);return n===void 0&&xr.set(t.strings,n=new Ke(t)),n}k(t){cn(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,o=0;for(let i of t)o===n.length?n.push(r=new e(this.O(We()),this.O(We()),this,this.options)):r=n[o],r._$AI(i),o++;o<n.length&&(this._$AR(r&&r._$AB.nextSibling,o),n.length=o)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let r=fr(t).nextSibling;fr(t).remove(),t=r}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},ge=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,r,o,i){this.type=1,this._$AH=x,this._$AN=void 0,this.element=t,this.name=n,this._$AM=o,this.options=i,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=x}_$AI(t,n=this,r,o){let i=this.strings,s=!1;if(i===void 0)t=pe(this,t,n,0),s=!Ve(t)||t!==this._$AH&&t!==me,s&&(this._$AH=t);else{let a=t,c,l;for(t=i[0],c=0;c<i.length-1;c++)l=pe(this,a[r+c],n,c),l===me&&(l=this._$AH[c]),s||=!Ve(l)||l!==this._$AH[c],l===x?t=x:t!==x&&(t+=(l??"")+i[c+1]),this._$AH[c]=l}s&&!o&&this.j(t)}j(t){t===x?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},bt=class extends ge{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===x?void 0:t}},xt=class extends ge{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==x)}},wt=class extends ge{constructor(t,n,r,o,i){super(t,n,r,o,i),this.type=5}_$AI(t,n=this){if((t=pe(this,t,n,0)??x)===me)return;let r=this._$AH,o=t===x&&r!==x||t.capture!==r.capture||t.once!==r.once||t.passive!==r.passive,i=t!==x&&(r===x||o);o&&this.element.removeEventListener(this.name,this,r),i&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},yt=class{constructor(t,n,r){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(t){pe(this,t)}},Ar={M:an,P:ee,A:ln,C:1,L:kr,R:gt,D:wr,V:pe,I:Se,H:ge,N:xt,U:wt,B:bt,F:yt},gs=sn.litHtmlPolyfillSupport;gs?.(Ke,Se),(sn.litHtmlVersions??=[]).push("3.3.3");var Mr=(e,t,n)=>{let r=n?.renderBefore??t,o=r._$litPart$;if(o===void 0){let i=n?.renderBefore??null;r._$litPart$=o=new Se(t.insertBefore(We(),i),i,void 0,n??{})}return o._$AI(e),o};var dn=globalThis,ae=class extends J{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let t=super.createRenderRoot();return this.renderOptions.renderBefore??=t.firstChild,t}update(t){let n=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(t),this._$Do=Mr(n,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return me}};ae._$litElement$=!0,ae.finalized=!0,dn.litElementHydrateSupport?.({LitElement:ae});var bs=dn.litElementPolyfillSupport;bs?.({LitElement:ae});(dn.litElementVersions??=[]).push("4.2.2");var xs={"<s>":"‹start›","</s>":"‹end›","∅":"‹nothing›"};function H(e){return xs[e]??_r(e.replaceAll("▁","·"))}function _r(e){return/[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(e)?e:Array.from(e,t=>`U+${t.codePointAt(0)?.toString(16).padStart(4,"0")}`).join(" ")||"‹empty›"}function B(e,t,n){let r=Array.from(t.text),o=new Set(t.word_pieces.flat()),i=c=>!o.has(c)&&t.spans[c][0]===t.spans[c][1],s=t.pieces.map((c,l)=>({label:H(c),positions:[l],mark:i(l),span:t.spans[l]}));if(n==="pieces")return{name:e,text:r,units:s};let a=t.words.map((c,l)=>({label:_r(r.slice(...c).join("")),positions:t.word_pieces[l],mark:!1,span:c}));return{name:e,text:r,units:[...a,...s.filter((c,l)=>!o.has(l))]}}function ws(e,t,n){let r=B("target",e,t),o=n?["∅","<s>"]:["<s>"],i=r.units.flatMap(a=>{let c=a.positions.map(l=>l+o.length).filter(l=>l<e.pieces.length);return c.length?[{...a,positions:c}]:[]}),s=o.slice(0,e.pieces.length).map((a,c)=>({label:H(a),positions:[c],mark:!0,span:null}));return{...r,name:"past",units:[...s,...i]}}function ys(e){let t=Array.from({length:e.rows*e.columns},(n,r)=>({label:`row ${Math.floor(r/e.columns)+1}, column ${r%e.columns+1}`,positions:[r],mark:!1,span:null}));return{name:"picture",text:[],units:t}}function fn(e,t,n){let{kind:r,blank:o}=t,i=B("target",e.target,n);if(r==="past")return[i,ws(e.target,n,o)];let s=e.source;if(s===null)throw new Error(`A record without a source has a look of kind “${r}”.`);let a=s.kind==="image"?ys(s):B("source",s,n);return r==="reading"?[a,a]:[i,a]}function Sr(e,t,n,r,o){let[i,s]=fn(e,t,o),a=1+Math.max(...s.units.flatMap(h=>h.positions)),c=te(e.numbers(t.weights),t.heads,n),l=c.length/a,u=new Float32Array(i.units.length*s.units.length);i.units.forEach((h,m)=>{let g=h.positions.map(p=>p+r).filter(p=>p<l);s.units.forEach((p,b)=>{let $=0;for(let y of g)for(let R of p.positions)$+=c[y*a+R];u[m*s.units.length+b]=$/g.length})});let d=s.units.length;return{rows:i,columns:s,weights:u,row:h=>u.subarray(h*d,(h+1)*d)}}function te(e,t,n){let r=e.length/t;if(typeof n=="number")return e.subarray(n*r,(n+1)*r);let o=new Float32Array(r);for(let i=0;i<t;i++)for(let s=0;s<r;s++){let a=e[i*r+s];o[s]=n==="mean"?o[s]+a/t:Math.max(o[s],a)}return o}function Ye(e,t){return Math.max(0,e.units.findIndex(n=>n.positions.includes(t)))}function $t(e,t){return e==null||t==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function $s(e,t){return e==null||t==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function Er(e){let t,n,r;e.length!==2?(t=$t,n=(a,c)=>$t(e(a),c),r=(a,c)=>e(a)-c):(t=e===$t||e===$s?e:vs,n=e,r=e);function o(a,c,l=0,u=a.length){if(l<u){if(t(c,c)!==0)return u;do{let d=l+u>>>1;n(a[d],c)<0?l=d+1:u=d}while(l<u)}return l}function i(a,c,l=0,u=a.length){if(l<u){if(t(c,c)!==0)return u;do{let d=l+u>>>1;n(a[d],c)<=0?l=d+1:u=d}while(l<u)}return l}function s(a,c,l=0,u=a.length){let d=o(a,c,l,u-1);return d>l&&r(a[d-1],c)>-r(a[d],c)?d-1:d}return{left:o,center:s,right:i}}function vs(){return 0}function ks(e){return e===null?NaN:+e}var Tr=Er($t),Nr=Tr.right,hc=Tr.left,mc=Er(ks).center;var pc=Rr(Cr),gc=Rr(As);function Rr(e){return function(t,n,r=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((r=+r)>=0))throw new RangeError("invalid ry");let{data:o,width:i,height:s}=t;if(!((i=Math.floor(i))>=0))throw new RangeError("invalid width");if(!((s=Math.floor(s!==void 0?s:o.length/i))>=0))throw new RangeError("invalid height");if(!i||!s||!n&&!r)return t;let a=n&&e(n),c=r&&e(r),l=o.slice();return a&&c?(Ee(a,l,o,i,s),Ee(a,o,l,i,s),Ee(a,l,o,i,s),Te(c,o,l,i,s),Te(c,l,o,i,s),Te(c,o,l,i,s)):a?(Ee(a,o,l,i,s),Ee(a,l,o,i,s),Ee(a,o,l,i,s)):c&&(Te(c,o,l,i,s),Te(c,l,o,i,s),Te(c,o,l,i,s)),t}}function Ee(e,t,n,r,o){for(let i=0,s=r*o;i<s;)e(t,n,i,i+=r,1)}function Te(e,t,n,r,o){for(let i=0,s=r*o;i<r;++i)e(t,n,i,i+s,r)}function As(e){let t=Cr(e);return(n,r,o,i,s)=>{o<<=2,i<<=2,s<<=2,t(n,r,o+0,i+0,s),t(n,r,o+1,i+1,s),t(n,r,o+2,i+2,s),t(n,r,o+3,i+3,s)}}function Cr(e){let t=Math.floor(e);if(t===e)return Ms(e);let n=e-t,r=2*e+1;return(o,i,s,a,c)=>{if(!((a-=c)>=s))return;let l=t*i[s],u=c*t,d=u+c;for(let h=s,m=s+u;h<m;h+=c)l+=i[Math.min(a,h)];for(let h=s,m=a;h<=m;h+=c)l+=i[Math.min(a,h+u)],o[h]=(l+n*(i[Math.max(s,h-d)]+i[Math.min(a,h+d)]))/r,l-=i[Math.max(s,h-u)]}}function Ms(e){let t=2*e+1;return(n,r,o,i,s)=>{if(!((i-=s)>=o))return;let a=e*r[o],c=s*e;for(let l=o,u=o+c;l<u;l+=s)a+=r[Math.min(i,l)];for(let l=o,u=i;l<=u;l+=s)a+=r[Math.min(i,l+c)],n[l]=a/t,a-=r[Math.max(o,l-c)]}}var _s=Array.prototype,bc=_s.slice;var Ss=Math.sqrt(50),Es=Math.sqrt(10),Ts=Math.sqrt(2);function vt(e,t,n){let r=(t-e)/Math.max(0,n),o=Math.floor(Math.log10(r)),i=r/Math.pow(10,o),s=i>=Ss?10:i>=Es?5:i>=Ts?2:1,a,c,l;return o<0?(l=Math.pow(10,-o)/s,a=Math.round(e*l),c=Math.round(t*l),a/l<e&&++a,c/l>t&&--c,l=-l):(l=Math.pow(10,o)*s,a=Math.round(e/l),c=Math.round(t/l),a*l<e&&++a,c*l>t&&--c),c<a&&.5<=n&&n<2?vt(e,t,n*2):[a,c,l]}function Pr(e,t,n){if(t=+t,e=+e,n=+n,!(n>0))return[];if(e===t)return[e];let r=t<e,[o,i,s]=r?vt(t,e,n):vt(e,t,n);if(!(i>=o))return[];let a=i-o+1,c=new Array(a);if(r)if(s<0)for(let l=0;l<a;++l)c[l]=(i-l)/-s;else for(let l=0;l<a;++l)c[l]=(i-l)*s;else if(s<0)for(let l=0;l<a;++l)c[l]=(o+l)/-s;else for(let l=0;l<a;++l)c[l]=(o+l)*s;return c}function kt(e,t,n){return t=+t,e=+e,n=+n,vt(e,t,n)[2]}function Lr(e,t,n){t=+t,e=+e,n=+n;let r=t<e,o=r?kt(t,e,n):kt(e,t,n);return(r?-1:1)*(o<0?1/-o:o)}var xc=Ns(Math.random);function Ns(e){return function(n,r=0,o=n.length){let i=o-(r=+r);for(;i;){let s=e()*i--|0,a=n[i+r];n[i+r]=n[s+r],n[s+r]=a}return n}}function Ir(e,t){switch(arguments.length){case 0:break;case 1:this.range(e);break;default:this.range(t).domain(e);break}return this}function At(e,t){switch(arguments.length){case 0:break;case 1:{typeof e=="function"?this.interpolator(e):this.range(e);break}default:{this.domain(e),typeof t=="function"?this.interpolator(t):this.range(t);break}}return this}function Pe(e,t,n){e.prototype=t.prototype=n,n.constructor=e}function Ze(e,t){var n=Object.create(e.prototype);for(var r in t)n[r]=t[r];return n}function le(){}var ye=.7,Ce=1/ye,Ne="\\s*([+-]?\\d+)\\s*",Xe="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",K="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",Rs=/^#([0-9a-f]{3,8})$/,Cs=new RegExp(`^rgb\\(${Ne},${Ne},${Ne}\\)$`),Ps=new RegExp(`^rgb\\(${K},${K},${K}\\)$`),Ls=new RegExp(`^rgba\\(${Ne},${Ne},${Ne},${Xe}\\)$`),Is=new RegExp(`^rgba\\(${K},${K},${K},${Xe}\\)$`),Hs=new RegExp(`^hsl\\(${Xe},${K},${K}\\)$`),zs=new RegExp(`^hsla\\(${Xe},${K},${K},${Xe}\\)$`),Hr={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};Pe(le,Le,{copy(e){return Object.assign(new this.constructor,this,e)},displayable(){return this.rgb().displayable()},hex:zr,formatHex:zr,formatHex8:Us,formatHsl:Os,formatRgb:Ur,toString:Ur});function zr(){return this.rgb().formatHex()}function Us(){return this.rgb().formatHex8()}function Os(){return Vr(this).formatHsl()}function Ur(){return this.rgb().formatRgb()}function Le(e){var t,n;return e=(e+"").trim().toLowerCase(),(t=Rs.exec(e))?(n=t[1].length,t=parseInt(t[1],16),n===6?Or(t):n===3?new P(t>>8&15|t>>4&240,t>>4&15|t&240,(t&15)<<4|t&15,1):n===8?Mt(t>>24&255,t>>16&255,t>>8&255,(t&255)/255):n===4?Mt(t>>12&15|t>>8&240,t>>8&15|t>>4&240,t>>4&15|t&240,((t&15)<<4|t&15)/255):null):(t=Cs.exec(e))?new P(t[1],t[2],t[3],1):(t=Ps.exec(e))?new P(t[1]*255/100,t[2]*255/100,t[3]*255/100,1):(t=Ls.exec(e))?Mt(t[1],t[2],t[3],t[4]):(t=Is.exec(e))?Mt(t[1]*255/100,t[2]*255/100,t[3]*255/100,t[4]):(t=Hs.exec(e))?Dr(t[1],t[2]/100,t[3]/100,1):(t=zs.exec(e))?Dr(t[1],t[2]/100,t[3]/100,t[4]):Hr.hasOwnProperty(e)?Or(Hr[e]):e==="transparent"?new P(NaN,NaN,NaN,0):null}function Or(e){return new P(e>>16&255,e>>8&255,e&255,1)}function Mt(e,t,n,r){return r<=0&&(e=t=n=NaN),new P(e,t,n,r)}function xn(e){return e instanceof le||(e=Le(e)),e?(e=e.rgb(),new P(e.r,e.g,e.b,e.opacity)):new P}function Je(e,t,n,r){return arguments.length===1?xn(e):new P(e,t,n,r??1)}function P(e,t,n,r){this.r=+e,this.g=+t,this.b=+n,this.opacity=+r}Pe(P,Je,Ze(le,{brighter(e){return e=e==null?Ce:Math.pow(Ce,e),new P(this.r*e,this.g*e,this.b*e,this.opacity)},darker(e){return e=e==null?ye:Math.pow(ye,e),new P(this.r*e,this.g*e,this.b*e,this.opacity)},rgb(){return this},clamp(){return new P(xe(this.r),xe(this.g),xe(this.b),St(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:Br,formatHex:Br,formatHex8:Bs,formatRgb:qr,toString:qr}));function Br(){return`#${be(this.r)}${be(this.g)}${be(this.b)}`}function Bs(){return`#${be(this.r)}${be(this.g)}${be(this.b)}${be((isNaN(this.opacity)?1:this.opacity)*255)}`}function qr(){let e=St(this.opacity);return`${e===1?"rgb(":"rgba("}${xe(this.r)}, ${xe(this.g)}, ${xe(this.b)}${e===1?")":`, ${e})`}`}function St(e){return isNaN(e)?1:Math.max(0,Math.min(1,e))}function xe(e){return Math.max(0,Math.min(255,Math.round(e)||0))}function be(e){return e=xe(e),(e<16?"0":"")+e.toString(16)}function Dr(e,t,n,r){return r<=0?e=t=n=NaN:n<=0||n>=1?e=t=NaN:t<=0&&(e=NaN),new F(e,t,n,r)}function Vr(e){if(e instanceof F)return new F(e.h,e.s,e.l,e.opacity);if(e instanceof le||(e=Le(e)),!e)return new F;if(e instanceof F)return e;e=e.rgb();var t=e.r/255,n=e.g/255,r=e.b/255,o=Math.min(t,n,r),i=Math.max(t,n,r),s=NaN,a=i-o,c=(i+o)/2;return a?(t===i?s=(n-r)/a+(n<r)*6:n===i?s=(r-t)/a+2:s=(t-n)/a+4,a/=c<.5?i+o:2-i-o,s*=60):a=c>0&&c<1?0:s,new F(s,a,c,e.opacity)}function Tt(e,t,n,r){return arguments.length===1?Vr(e):new F(e,t,n,r??1)}function F(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}Pe(F,Tt,Ze(le,{brighter(e){return e=e==null?Ce:Math.pow(Ce,e),new F(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?ye:Math.pow(ye,e),new F(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=this.h%360+(this.h<0)*360,t=isNaN(e)||isNaN(this.s)?0:this.s,n=this.l,r=n+(n<.5?n:1-n)*t,o=2*n-r;return new P(hn(e>=240?e-240:e+120,o,r),hn(e,o,r),hn(e<120?e+240:e-120,o,r),this.opacity)},clamp(){return new F(jr(this.h),_t(this.s),_t(this.l),St(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let e=St(this.opacity);return`${e===1?"hsl(":"hsla("}${jr(this.h)}, ${_t(this.s)*100}%, ${_t(this.l)*100}%${e===1?")":`, ${e})`}`}}));function jr(e){return e=(e||0)%360,e<0?e+360:e}function _t(e){return Math.max(0,Math.min(1,e||0))}function hn(e,t,n){return(e<60?t+(n-t)*e/60:e<180?n:e<240?t+(n-t)*(240-e)/60:t)*255}var Kr=Math.PI/180,Yr=180/Math.PI,Et=18,Xr=.96422,Qr=1,Zr=.82521,Jr=4/29,Re=6/29,eo=3*Re*Re,qs=Re*Re*Re;function to(e){if(e instanceof Y)return new Y(e.l,e.a,e.b,e.opacity);if(e instanceof ne)return ro(e);e instanceof P||(e=xn(e));var t=bn(e.r),n=bn(e.g),r=bn(e.b),o=mn((.2225045*t+.7168786*n+.0606169*r)/Qr),i,s;return t===n&&n===r?i=s=o:(i=mn((.4360747*t+.3850649*n+.1430804*r)/Xr),s=mn((.0139322*t+.0971045*n+.7141733*r)/Zr)),new Y(116*o-16,500*(i-o),200*(o-s),e.opacity)}function no(e,t,n,r){return arguments.length===1?to(e):new Y(e,t,n,r??1)}function Y(e,t,n,r){this.l=+e,this.a=+t,this.b=+n,this.opacity=+r}Pe(Y,no,Ze(le,{brighter(e){return new Y(this.l+Et*(e??1),this.a,this.b,this.opacity)},darker(e){return new Y(this.l-Et*(e??1),this.a,this.b,this.opacity)},rgb(){var e=(this.l+16)/116,t=isNaN(this.a)?e:e+this.a/500,n=isNaN(this.b)?e:e-this.b/200;return t=Xr*pn(t),e=Qr*pn(e),n=Zr*pn(n),new P(gn(3.1338561*t-1.6168667*e-.4906146*n),gn(-.9787684*t+1.9161415*e+.033454*n),gn(.0719453*t-.2289914*e+1.4052427*n),this.opacity)}}));function mn(e){return e>qs?Math.pow(e,1/3):e/eo+Jr}function pn(e){return e>Re?e*e*e:eo*(e-Jr)}function gn(e){return 255*(e<=.0031308?12.92*e:1.055*Math.pow(e,1/2.4)-.055)}function bn(e){return(e/=255)<=.04045?e/12.92:Math.pow((e+.055)/1.055,2.4)}function Ds(e){if(e instanceof ne)return new ne(e.h,e.c,e.l,e.opacity);if(e instanceof Y||(e=to(e)),e.a===0&&e.b===0)return new ne(NaN,0<e.l&&e.l<100?0:NaN,e.l,e.opacity);var t=Math.atan2(e.b,e.a)*Yr;return new ne(t<0?t+360:t,Math.sqrt(e.a*e.a+e.b*e.b),e.l,e.opacity)}function Nt(e,t,n,r){return arguments.length===1?Ds(e):new ne(e,t,n,r??1)}function ne(e,t,n,r){this.h=+e,this.c=+t,this.l=+n,this.opacity=+r}function ro(e){if(isNaN(e.h))return new Y(e.l,0,0,e.opacity);var t=e.h*Kr;return new Y(e.l,Math.cos(t)*e.c,Math.sin(t)*e.c,e.opacity)}Pe(ne,Nt,Ze(le,{brighter(e){return new ne(this.h,this.c,this.l+Et*(e??1),this.opacity)},darker(e){return new ne(this.h,this.c,this.l-Et*(e??1),this.opacity)},rgb(){return ro(this).rgb()}}));var oo=-.14861,wn=1.78277,yn=-.29227,Rt=-.90649,Qe=1.97294,Fr=Qe*Rt,Gr=Qe*wn,Wr=wn*yn-Rt*oo;function js(e){if(e instanceof we)return new we(e.h,e.s,e.l,e.opacity);e instanceof P||(e=xn(e));var t=e.r/255,n=e.g/255,r=e.b/255,o=(Wr*r+Fr*t-Gr*n)/(Wr+Fr-Gr),i=r-o,s=(Qe*(n-o)-yn*i)/Rt,a=Math.sqrt(s*s+i*i)/(Qe*o*(1-o)),c=a?Math.atan2(s,i)*Yr-120:NaN;return new we(c<0?c+360:c,a,o,e.opacity)}function Ct(e,t,n,r){return arguments.length===1?js(e):new we(e,t,n,r??1)}function we(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}Pe(we,Ct,Ze(le,{brighter(e){return e=e==null?Ce:Math.pow(Ce,e),new we(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?ye:Math.pow(ye,e),new we(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=isNaN(this.h)?0:(this.h+120)*Kr,t=+this.l,n=isNaN(this.s)?0:this.s*t*(1-t),r=Math.cos(e),o=Math.sin(e);return new P(255*(t+n*(oo*r+wn*o)),255*(t+n*(yn*r+Rt*o)),255*(t+n*(Qe*r)),this.opacity)}}));function lo(e,t,n,r,o){var i=e*e,s=i*e;return((1-3*e+3*i-s)*t+(4-6*i+3*s)*n+(1+3*e+3*i-3*s)*r+s*o)/6}function Fs(e){var t=e.length-1;return function(n){var r=n<=0?n=0:n>=1?(n=1,t-1):Math.floor(n*t),o=e[r],i=e[r+1],s=r>0?e[r-1]:2*o-i,a=r<t-1?e[r+2]:2*i-o;return lo((n-r/t)*t,s,o,i,a)}}function Gs(e){var t=e.length;return function(n){var r=Math.floor(((n%=1)<0?++n:n)*t),o=e[(r+t-1)%t],i=e[r%t],s=e[(r+1)%t],a=e[(r+2)%t];return lo((n-r/t)*t,o,i,s,a)}}var Lt=e=>()=>e;function co(e,t){return function(n){return e+n*t}}function Ws(e,t,n){return e=Math.pow(e,n),t=Math.pow(t,n)-e,n=1/n,function(r){return Math.pow(e+r*t,n)}}function An(e,t){var n=t-e;return n?co(e,n>180||n<-180?n-360*Math.round(n/360):n):Lt(isNaN(e)?t:e)}function Vs(e){return(e=+e)==1?z:function(t,n){return n-t?Ws(t,n,e):Lt(isNaN(t)?n:t)}}function z(e,t){var n=t-e;return n?co(e,n):Lt(isNaN(e)?t:e)}var io=(function e(t){var n=Vs(t);function r(o,i){var s=n((o=Je(o)).r,(i=Je(i)).r),a=n(o.g,i.g),c=n(o.b,i.b),l=z(o.opacity,i.opacity);return function(u){return o.r=s(u),o.g=a(u),o.b=c(u),o.opacity=l(u),o+""}}return r.gamma=e,r})(1);function uo(e){return function(t){var n=t.length,r=new Array(n),o=new Array(n),i=new Array(n),s,a;for(s=0;s<n;++s)a=Je(t[s]),r[s]=a.r||0,o[s]=a.g||0,i[s]=a.b||0;return r=e(r),o=e(o),i=e(i),a.opacity=1,function(c){return a.r=r(c),a.g=o(c),a.b=i(c),a+""}}}var fo=uo(Fs),kc=uo(Gs);function Ks(e,t){t||(t=[]);var n=e?Math.min(t.length,e.length):0,r=t.slice(),o;return function(i){for(o=0;o<n;++o)r[o]=e[o]*(1-i)+t[o]*i;return r}}function Ys(e){return ArrayBuffer.isView(e)&&!(e instanceof DataView)}function Xs(e,t){var n=t?t.length:0,r=e?Math.min(n,e.length):0,o=new Array(r),i=new Array(n),s;for(s=0;s<r;++s)o[s]=re(e[s],t[s]);for(;s<n;++s)i[s]=t[s];return function(a){for(s=0;s<r;++s)i[s]=o[s](a);return i}}function Qs(e,t){var n=new Date;return e=+e,t=+t,function(r){return n.setTime(e*(1-r)+t*r),n}}function G(e,t){return e=+e,t=+t,function(n){return e*(1-n)+t*n}}function Zs(e,t){var n={},r={},o;(e===null||typeof e!="object")&&(e={}),(t===null||typeof t!="object")&&(t={});for(o in t)o in e?n[o]=re(e[o],t[o]):r[o]=t[o];return function(i){for(o in n)r[o]=n[o](i);return r}}var vn=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,$n=new RegExp(vn.source,"g");function Js(e){return function(){return e}}function ea(e){return function(t){return e(t)+""}}function ta(e,t){var n=vn.lastIndex=$n.lastIndex=0,r,o,i,s=-1,a=[],c=[];for(e=e+"",t=t+"";(r=vn.exec(e))&&(o=$n.exec(t));)(i=o.index)>n&&(i=t.slice(n,i),a[s]?a[s]+=i:a[++s]=i),(r=r[0])===(o=o[0])?a[s]?a[s]+=o:a[++s]=o:(a[++s]=null,c.push({i:s,x:G(r,o)})),n=$n.lastIndex;return n<t.length&&(i=t.slice(n),a[s]?a[s]+=i:a[++s]=i),a.length<2?c[0]?ea(c[0].x):Js(t):(t=c.length,function(l){for(var u=0,d;u<t;++u)a[(d=c[u]).i]=d.x(l);return a.join("")})}function re(e,t){var n=typeof t,r;return t==null||n==="boolean"?Lt(t):(n==="number"?G:n==="string"?(r=Le(t))?(t=r,io):ta:t instanceof Le?io:t instanceof Date?Qs:Ys(t)?Ks:Array.isArray(t)?Xs:typeof t.valueOf!="function"&&typeof t.toString!="function"||isNaN(t)?Zs:G)(e,t)}function Ie(e,t){return e=+e,t=+t,function(n){return Math.round(e*(1-n)+t*n)}}var so=180/Math.PI,kn={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function ho(e,t,n,r,o,i){var s,a,c;return(s=Math.sqrt(e*e+t*t))&&(e/=s,t/=s),(c=e*n+t*r)&&(n-=e*c,r-=t*c),(a=Math.sqrt(n*n+r*r))&&(n/=a,r/=a,c/=a),e*r<t*n&&(e=-e,t=-t,c=-c,s=-s),{translateX:o,translateY:i,rotate:Math.atan2(t,e)*so,skewX:Math.atan(c)*so,scaleX:s,scaleY:a}}var Pt;function na(e){let t=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(e+"");return t.isIdentity?kn:ho(t.a,t.b,t.c,t.d,t.e,t.f)}function ra(e){return e==null||(Pt||(Pt=document.createElementNS("http://www.w3.org/2000/svg","g")),Pt.setAttribute("transform",e),!(e=Pt.transform.baseVal.consolidate()))?kn:(e=e.matrix,ho(e.a,e.b,e.c,e.d,e.e,e.f))}function mo(e,t,n,r){function o(l){return l.length?l.pop()+" ":""}function i(l,u,d,h,m,g){if(l!==d||u!==h){var p=m.push("translate(",null,t,null,n);g.push({i:p-4,x:G(l,d)},{i:p-2,x:G(u,h)})}else(d||h)&&m.push("translate("+d+t+h+n)}function s(l,u,d,h){l!==u?(l-u>180?u+=360:u-l>180&&(l+=360),h.push({i:d.push(o(d)+"rotate(",null,r)-2,x:G(l,u)})):u&&d.push(o(d)+"rotate("+u+r)}function a(l,u,d,h){l!==u?h.push({i:d.push(o(d)+"skewX(",null,r)-2,x:G(l,u)}):u&&d.push(o(d)+"skewX("+u+r)}function c(l,u,d,h,m,g){if(l!==d||u!==h){var p=m.push(o(m)+"scale(",null,",",null,")");g.push({i:p-4,x:G(l,d)},{i:p-2,x:G(u,h)})}else(d!==1||h!==1)&&m.push(o(m)+"scale("+d+","+h+")")}return function(l,u){var d=[],h=[];return l=e(l),u=e(u),i(l.translateX,l.translateY,u.translateX,u.translateY,d,h),s(l.rotate,u.rotate,d,h),a(l.skewX,u.skewX,d,h),c(l.scaleX,l.scaleY,u.scaleX,u.scaleY,d,h),l=u=null,function(m){for(var g=-1,p=h.length,b;++g<p;)d[(b=h[g]).i]=b.x(m);return d.join("")}}}var Ac=mo(na,"px, ","px)","deg)"),Mc=mo(ra,", ",")",")"),oa=1e-12;function ao(e){return((e=Math.exp(e))+1/e)/2}function ia(e){return((e=Math.exp(e))-1/e)/2}function sa(e){return((e=Math.exp(2*e))-1)/(e+1)}var _c=(function e(t,n,r){function o(i,s){var a=i[0],c=i[1],l=i[2],u=s[0],d=s[1],h=s[2],m=u-a,g=d-c,p=m*m+g*g,b,$;if(p<oa)$=Math.log(h/l)/t,b=function(k){return[a+k*m,c+k*g,l*Math.exp(t*k*$)]};else{var y=Math.sqrt(p),R=(h*h-l*l+r*p)/(2*l*n*y),C=(h*h-l*l-r*p)/(2*h*n*y),V=Math.log(Math.sqrt(R*R+1)-R),v=Math.log(Math.sqrt(C*C+1)-C);$=(v-V)/t,b=function(k){var S=k*$,E=ao(V),j=l/(n*y)*(E*sa(t*S+V)-ia(V));return[a+j*m,c+j*g,l*E/ao(t*S+V)]}}return b.duration=Math.abs($)*1e3*t/Math.SQRT2,b}return o.rho=function(i){var s=Math.max(.001,+i),a=s*s,c=a*a;return e(s,a,c)},o})(Math.SQRT2,2,4);function po(e){return function(t,n){var r=e((t=Tt(t)).h,(n=Tt(n)).h),o=z(t.s,n.s),i=z(t.l,n.l),s=z(t.opacity,n.opacity);return function(a){return t.h=r(a),t.s=o(a),t.l=i(a),t.opacity=s(a),t+""}}}var Sc=po(An),Ec=po(z);function go(e){return function(t,n){var r=e((t=Nt(t)).h,(n=Nt(n)).h),o=z(t.c,n.c),i=z(t.l,n.l),s=z(t.opacity,n.opacity);return function(a){return t.h=r(a),t.c=o(a),t.l=i(a),t.opacity=s(a),t+""}}}var Tc=go(An),Nc=go(z);function bo(e){return(function t(n){n=+n;function r(o,i){var s=e((o=Ct(o)).h,(i=Ct(i)).h),a=z(o.s,i.s),c=z(o.l,i.l),l=z(o.opacity,i.opacity);return function(u){return o.h=s(u),o.s=a(u),o.l=c(Math.pow(u,n)),o.opacity=l(u),o+""}}return r.gamma=t,r})(1)}var Rc=bo(An),Cc=bo(z);function xo(e,t){t===void 0&&(t=e,e=re);for(var n=0,r=t.length-1,o=t[0],i=new Array(r<0?0:r);n<r;)i[n]=e(o,o=t[++n]);return function(s){var a=Math.max(0,Math.min(r-1,Math.floor(s*=r)));return i[a](s-a)}}function Mn(e){return function(){return e}}function _n(e){return+e}var wo=[0,1];function q(e){return e}function Sn(e,t){return(t-=e=+e)?function(n){return(n-e)/t}:Mn(isNaN(t)?NaN:.5)}function aa(e,t){var n;return e>t&&(n=e,e=t,t=n),function(r){return Math.max(e,Math.min(t,r))}}function la(e,t,n){var r=e[0],o=e[1],i=t[0],s=t[1];return o<r?(r=Sn(o,r),i=n(s,i)):(r=Sn(r,o),i=n(i,s)),function(a){return i(r(a))}}function ca(e,t,n){var r=Math.min(e.length,t.length)-1,o=new Array(r),i=new Array(r),s=-1;for(e[r]<e[0]&&(e=e.slice().reverse(),t=t.slice().reverse());++s<r;)o[s]=Sn(e[s],e[s+1]),i[s]=n(t[s],t[s+1]);return function(a){var c=Nr(e,a,1,r)-1;return i[c](o[c](a))}}function yo(e,t){return t.domain(e.domain()).range(e.range()).interpolate(e.interpolate()).clamp(e.clamp()).unknown(e.unknown())}function ua(){var e=wo,t=wo,n=re,r,o,i,s=q,a,c,l;function u(){var h=Math.min(e.length,t.length);return s!==q&&(s=aa(e[0],e[h-1])),a=h>2?ca:la,c=l=null,d}function d(h){return h==null||isNaN(h=+h)?i:(c||(c=a(e.map(r),t,n)))(r(s(h)))}return d.invert=function(h){return s(o((l||(l=a(t,e.map(r),G)))(h)))},d.domain=function(h){return arguments.length?(e=Array.from(h,_n),u()):e.slice()},d.range=function(h){return arguments.length?(t=Array.from(h),u()):t.slice()},d.rangeRound=function(h){return t=Array.from(h),n=Ie,u()},d.clamp=function(h){return arguments.length?(s=h?!0:q,u()):s!==q},d.interpolate=function(h){return arguments.length?(n=h,u()):n},d.unknown=function(h){return arguments.length?(i=h,d):i},function(h,m){return r=h,o=m,u()}}function En(){return ua()(q,q)}function da(e){return Math.abs(e=Math.round(e))>=1e21?e.toLocaleString("en").replace(/,/g,""):e.toString(10)}function Ht(e,t){if(!isFinite(e)||e===0)return null;var n=(e=t?e.toExponential(t-1):e.toExponential()).indexOf("e"),r=e.slice(0,n);return[r.length>1?r[0]+r.slice(2):r,+e.slice(n+1)]}function He(e){return e=Ht(Math.abs(e)),e?e[1]:NaN}function fa(e,t){return function(n,r){for(var o=n.length,i=[],s=0,a=e[0],c=0;o>0&&a>0&&(c+a+1>r&&(a=Math.max(1,r-c)),i.push(n.substring(o-=a,o+a)),!((c+=a+1)>r));)a=e[s=(s+1)%e.length];return i.reverse().join(t)}}function ha(e){return function(t){return t.replace(/[0-9]/g,function(n){return e[+n]})}}var ma=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function et(e){if(!(t=ma.exec(e)))throw new Error("invalid format: "+e);var t;return new Tn({fill:t[1],align:t[2],sign:t[3],symbol:t[4],zero:t[5],width:t[6],comma:t[7],precision:t[8]&&t[8].slice(1),trim:t[9],type:t[10]})}et.prototype=Tn.prototype;function Tn(e){this.fill=e.fill===void 0?" ":e.fill+"",this.align=e.align===void 0?">":e.align+"",this.sign=e.sign===void 0?"-":e.sign+"",this.symbol=e.symbol===void 0?"":e.symbol+"",this.zero=!!e.zero,this.width=e.width===void 0?void 0:+e.width,this.comma=!!e.comma,this.precision=e.precision===void 0?void 0:+e.precision,this.trim=!!e.trim,this.type=e.type===void 0?"":e.type+""}Tn.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function pa(e){e:for(var t=e.length,n=1,r=-1,o;n<t;++n)switch(e[n]){case".":r=o=n;break;case"0":r===0&&(r=n),o=n;break;default:if(!+e[n])break e;r>0&&(r=0);break}return r>0?e.slice(0,r)+e.slice(o+1):e}var zt;function ga(e,t){var n=Ht(e,t);if(!n)return zt=void 0,e.toPrecision(t);var r=n[0],o=n[1],i=o-(zt=Math.max(-8,Math.min(8,Math.floor(o/3)))*3)+1,s=r.length;return i===s?r:i>s?r+new Array(i-s+1).join("0"):i>0?r.slice(0,i)+"."+r.slice(i):"0."+new Array(1-i).join("0")+Ht(e,Math.max(0,t+i-1))[0]}function $o(e,t){var n=Ht(e,t);if(!n)return e+"";var r=n[0],o=n[1];return o<0?"0."+new Array(-o).join("0")+r:r.length>o+1?r.slice(0,o+1)+"."+r.slice(o+1):r+new Array(o-r.length+2).join("0")}var vo={"%":(e,t)=>(e*100).toFixed(t),b:e=>Math.round(e).toString(2),c:e=>e+"",d:da,e:(e,t)=>e.toExponential(t),f:(e,t)=>e.toFixed(t),g:(e,t)=>e.toPrecision(t),o:e=>Math.round(e).toString(8),p:(e,t)=>$o(e*100,t),r:$o,s:ga,X:e=>Math.round(e).toString(16).toUpperCase(),x:e=>Math.round(e).toString(16)};function ko(e){return e}var Ao=Array.prototype.map,Mo=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function ba(e){var t=e.grouping===void 0||e.thousands===void 0?ko:fa(Ao.call(e.grouping,Number),e.thousands+""),n=e.currency===void 0?"":e.currency[0]+"",r=e.currency===void 0?"":e.currency[1]+"",o=e.decimal===void 0?".":e.decimal+"",i=e.numerals===void 0?ko:ha(Ao.call(e.numerals,String)),s=e.percent===void 0?"%":e.percent+"",a=e.minus===void 0?"−":e.minus+"",c=e.nan===void 0?"NaN":e.nan+"";function l(d,h){d=et(d);var m=d.fill,g=d.align,p=d.sign,b=d.symbol,$=d.zero,y=d.width,R=d.comma,C=d.precision,V=d.trim,v=d.type;v==="n"?(R=!0,v="g"):vo[v]||(C===void 0&&(C=12),V=!0,v="g"),($||m==="0"&&g==="=")&&($=!0,m="0",g="=");var k=(h&&h.prefix!==void 0?h.prefix:"")+(b==="$"?n:b==="#"&&/[boxX]/.test(v)?"0"+v.toLowerCase():""),S=(b==="$"?r:/[%p]/.test(v)?s:"")+(h&&h.suffix!==void 0?h.suffix:""),E=vo[v],j=/[defgprs%]/.test(v);C=C===void 0?6:/[gprs]/.test(v)?Math.max(1,Math.min(21,C)):Math.max(0,Math.min(20,C));function De(A){var Q=k,O=S,_e,ir,ct;if(v==="c")O=E(A)+O,A="";else{A=+A;var ut=A<0||1/A<0;if(A=isNaN(A)?c:E(Math.abs(A),C),V&&(A=pa(A)),ut&&+A==0&&p!=="+"&&(ut=!1),Q=(ut?p==="("?p:a:p==="-"||p==="("?"":p)+Q,O=(v==="s"&&!isNaN(A)&&zt!==void 0?Mo[8+zt/3]:"")+O+(ut&&p==="("?")":""),j){for(_e=-1,ir=A.length;++_e<ir;)if(ct=A.charCodeAt(_e),48>ct||ct>57){O=(ct===46?o+A.slice(_e+1):A.slice(_e))+O,A=A.slice(0,_e);break}}}R&&!$&&(A=t(A,1/0));var dt=Q.length+A.length+O.length,Z=dt<y?new Array(y-dt+1).join(m):"";switch(R&&$&&(A=t(Z+A,Z.length?y-O.length:1/0),Z=""),g){case"<":A=Q+A+O+Z;break;case"=":A=Q+Z+A+O;break;case"^":A=Z.slice(0,dt=Z.length>>1)+Q+A+O+Z.slice(dt);break;default:A=Z+Q+A+O;break}return i(A)}return De.toString=function(){return d+""},De}function u(d,h){var m=Math.max(-8,Math.min(8,Math.floor(He(h)/3)))*3,g=Math.pow(10,-m),p=l((d=et(d),d.type="f",d),{suffix:Mo[8+m/3]});return function(b){return p(g*b)}}return{format:l,formatPrefix:u}}var It,Nn,Rn;xa({thousands:",",grouping:[3],currency:["$",""]});function xa(e){return It=ba(e),Nn=It.format,Rn=It.formatPrefix,It}function _o(e){return Math.max(0,-He(Math.abs(e)))}function So(e,t){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(He(t)/3)))*3-He(Math.abs(e)))}function Eo(e,t){return e=Math.abs(e),t=Math.abs(t)-e,Math.max(0,He(t)-He(e))+1}function Cn(e,t,n,r){var o=Lr(e,t,n),i;switch(r=et(r??",f"),r.type){case"s":{var s=Math.max(Math.abs(e),Math.abs(t));return r.precision==null&&!isNaN(i=So(o,s))&&(r.precision=i),Rn(r,s)}case"":case"e":case"g":case"p":case"r":{r.precision==null&&!isNaN(i=Eo(o,Math.max(Math.abs(e),Math.abs(t))))&&(r.precision=i-(r.type==="e"));break}case"f":case"%":{r.precision==null&&!isNaN(i=_o(o))&&(r.precision=i-(r.type==="%")*2);break}}return Nn(r)}function tt(e){var t=e.domain;return e.ticks=function(n){var r=t();return Pr(r[0],r[r.length-1],n??10)},e.tickFormat=function(n,r){var o=t();return Cn(o[0],o[o.length-1],n??10,r)},e.nice=function(n){n==null&&(n=10);var r=t(),o=0,i=r.length-1,s=r[o],a=r[i],c,l,u=10;for(a<s&&(l=s,s=a,a=l,l=o,o=i,i=l);u-- >0;){if(l=kt(s,a,n),l===c)return r[o]=s,r[i]=a,t(r);if(l>0)s=Math.floor(s/l)*l,a=Math.ceil(a/l)*l;else if(l<0)s=Math.ceil(s*l)/l,a=Math.floor(a*l)/l;else break;c=l}return e},e}function W(){var e=En();return e.copy=function(){return yo(e,W())},Ir.apply(e,arguments),tt(e)}function wa(){var e=0,t=1,n,r,o,i,s=q,a=!1,c;function l(d){return d==null||isNaN(d=+d)?c:s(o===0?.5:(d=(i(d)-n)*o,a?Math.max(0,Math.min(1,d)):d))}l.domain=function(d){return arguments.length?([e,t]=d,n=i(e=+e),r=i(t=+t),o=n===r?0:1/(r-n),l):[e,t]},l.clamp=function(d){return arguments.length?(a=!!d,l):a},l.interpolator=function(d){return arguments.length?(s=d,l):s};function u(d){return function(h){var m,g;return arguments.length?([m,g]=h,s=d(m,g),l):[s(0),s(1)]}}return l.range=u(re),l.rangeRound=u(Ie),l.unknown=function(d){return arguments.length?(c=d,l):c},function(d){return i=d,n=d(e),r=d(t),o=n===r?0:1/(r-n),l}}function Pn(e,t){return t.domain(e.domain()).interpolator(e.interpolator()).clamp(e.clamp()).unknown(e.unknown())}function nt(){var e=tt(wa()(q));return e.copy=function(){return Pn(e,nt())},At.apply(e,arguments)}function ya(){var e=0,t=.5,n=1,r=1,o,i,s,a,c,l=q,u,d=!1,h;function m(p){return isNaN(p=+p)?h:(p=.5+((p=+u(p))-i)*(r*p<r*i?a:c),l(d?Math.max(0,Math.min(1,p)):p))}m.domain=function(p){return arguments.length?([e,t,n]=p,o=u(e=+e),i=u(t=+t),s=u(n=+n),a=o===i?0:.5/(i-o),c=i===s?0:.5/(s-i),r=i<o?-1:1,m):[e,t,n]},m.clamp=function(p){return arguments.length?(d=!!p,m):d},m.interpolator=function(p){return arguments.length?(l=p,m):l};function g(p){return function(b){var $,y,R;return arguments.length?([$,y,R]=b,l=xo(p,[$,y,R]),m):[l(0),l(.5),l(1)]}}return m.range=g(re),m.rangeRound=g(Ie),m.unknown=function(p){return arguments.length?(h=p,m):h},function(p){return u=p,o=p(e),i=p(t),s=p(n),a=o===i?0:.5/(i-o),c=i===s?0:.5/(s-i),r=i<o?-1:1,m}}function rt(){var e=tt(ya()(q));return e.copy=function(){return Pn(e,rt())},At.apply(e,arguments)}function To(e){for(var t=e.length/6|0,n=new Array(t),r=0;r<t;)n[r]="#"+e.slice(r*6,++r*6);return n}var No=e=>fo(e[e.length-1]);var Ro=new Array(3).concat("998ec3f7f7f7f1a340","5e3c99b2abd2fdb863e66101","5e3c99b2abd2f7f7f7fdb863e66101","542788998ec3d8daebfee0b6f1a340b35806","542788998ec3d8daebf7f7f7fee0b6f1a340b35806","5427888073acb2abd2d8daebfee0b6fdb863e08214b35806","5427888073acb2abd2d8daebf7f7f7fee0b6fdb863e08214b35806","2d004b5427888073acb2abd2d8daebfee0b6fdb863e08214b358067f3b08","2d004b5427888073acb2abd2d8daebf7f7f7fee0b6fdb863e08214b358067f3b08").map(To),Ln=No(Ro);function In(e){return e=Math.max(0,Math.min(1,e)),"rgb("+Math.max(0,Math.min(255,Math.round(-4.54-e*(35.34-e*(2381.73-e*(6402.7-e*(7024.72-e*2710.57)))))))+", "+Math.max(0,Math.min(255,Math.round(32.49+e*(170.73+e*(52.82-e*(131.46-e*(176.58-e*67.37)))))))+", "+Math.max(0,Math.min(255,Math.round(81.24+e*(442.36-e*(2482.43-e*(6167.24-e*(6614.94-e*2475.67)))))))+")"}var oe=nt(In).clamp(!0),Co=matchMedia("(prefers-color-scheme: dark)"),$a=[W().domain([0,1]).range(["#ffffff","#00306f"]).clamp(!0),W().domain([0,1]).range(["#14181e","#f2dc4a"]).clamp(!0)];function Hn(e){return $a[Co.matches?1:0](e)}function Ut(e){return Co.matches?W().domain([-(e||1),0,e||1]).range(["#f5a54a","#232a33","#b8a1f5"]).clamp(!0):rt(t=>Ln(1-t)).domain([-(e||1),0,e||1]).clamp(!0)}function zn(e){return va(Un(e))>.179?"#000000":"#ffffff"}function $e(e){if(!(e>=.005))return"";let t=Hn(e);return`background:${t};color:${e<.3?"var(--ink)":zn(t)}`}function Un(e){let t=/^#(..)(..)(..)$/.exec(e);return t?t.slice(1).map(n=>Number.parseInt(n,16)):(e.match(/[\d.]+/g)??[]).slice(0,3).map(Number)}function va(e){let[t,n,r]=e.map(o=>{let i=o/255;return i<=.04045?i/12.92:((i+.055)/1.055)**2.4});return .2126*t+.7152*n+.0722*r}function ie(e){return f`<p class="empty" data-testid="empty">${e}</p>`}function X(e){let t=e.summary===null?0:e.numbers(e.summary).length;return ie(f`<strong>${e.model.name}</strong> has no attention: it never looks back at
    what it read${t?f`. Everything it knows of the sentence is in these ${t} numbers, which it was
            handed before it said its first word`:""}. There is nothing to draw here; the beam and the “what if” views still work, where recorded.`)}function U(e){let{axis:t,side:n,current:r}=e,o=u=>`[data-side="${n}"][data-unit="${u}"]`,i=u=>{let d=u.target.dataset?.unit;d!==void 0&&!(e.asked&&Number(d)===r)&&e.choose?.(Number(d))},s=u=>{let d=Aa(u.key,r,t.units.length-1,Ot(t)==="rtl");d!==null&&(u.preventDefault(),e.choose?.(d,o(d)))},a=u=>f`<span class="word" data-testid="word" data-side=${n}
    data-unit=${u} data-value="" ?data-mark=${t.units[u].mark}
    .style=${e.style(u)}>${t.units[u].label}</span>`,c=u=>f`<span role="button" class="word" data-testid="word"
    data-side=${n} data-unit=${u} data-value=${e.value(u)??""}
    ?data-mark=${t.units[u].mark} tabindex=${u===Math.max(0,r)?0:-1}
    aria-pressed=${e.asked&&u===r} aria-label=${e.label(u)}
    dir=${e.pieces?"auto":x} .style=${e.style(u)}>${t.units[u].label}</span>`,l=e.choose?c:a;return f`<div class="sentence">
    <p class="small soft" aria-hidden="true">${e.name}</p>
    <p class="text ${e.pieces?"pieces":""}" role="group" aria-label=${e.name} data-side=${n}
      dir=${Ot(t)} @pointerover=${e.hover?i:x} @focusin=${i} @keydown=${s}
      >${e.pieces?t.units.map((u,d)=>l(d)):ka(t,l)}</p>
  </div>`}function ka(e,t){let n=[],r=0;return e.units.forEach(({span:o,mark:i},s)=>{i||!o?n.push(s?" ":"",t(s),s?"":" "):(n.push(e.text.slice(r,o[0]).join(""),t(s)),r=o[1])}),n}function Aa(e,t,n,r){if(e==="Home")return 0;if(e==="End")return n;let o={ArrowRight:1,ArrowLeft:-1,ArrowDown:1,ArrowUp:-1}[e];return o===void 0?null:Math.max(0,Math.min(n,t+((e==="ArrowRight"||e==="ArrowLeft")&&r?-o:o)))}function Ot(e){let t=e.text.find(n=>/\p{L}/u.test(n))??"";return/[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u.test(t)?"rtl":"ltr"}var Po=M`
  .sentence { display: grid; gap: 0.35rem; }
  .sentence .text {
    overflow: clip; overflow-clip-margin: 0.4rem; font-size: 1.6rem; line-height: 1.7;
    overflow-wrap: anywhere; white-space: pre-wrap;
  }
  .word {
    border-radius: 4px; padding: 0.08em 0.06em; margin: 0 -0.04em; cursor: default;
    box-decoration-break: clone; -webkit-box-decoration-break: clone; overflow-wrap: anywhere;
  }
  .word[aria-pressed="true"]:not(:focus-visible) {
    outline: 2px solid var(--accent); outline-offset: 1px;
  }
  .word[data-mark] { font-size: 0.65em; color: var(--soft); }
  .pieces {
    display: flex; flex-wrap: wrap; gap: 0.15rem 0.5rem; align-items: baseline; white-space: nowrap;
  }
  .pieces .word { margin: 0; padding: 0.08em 0.25em; max-width: 100%; white-space: normal; }
  @media (max-width: 36rem) { .sentence .text { font-size: 1.3rem; } }
`;var{I:zu}=Ar;var Lo=e=>e.strings===void 0;var Io={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},On=e=>(...t)=>({_$litDirective$:e,values:t}),Bt=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,r){this._$Ct=t,this._$AM=n,this._$Ci=r}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var ot=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let r of n)r._$AO?.(t,!1),ot(r,t);return!0},qt=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},Ho=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Sa(t)}};function Ma(e){this._$AN!==void 0?(qt(this),this._$AM=e,Ho(this)):this._$AM=e}function _a(e,t=!1,n=0){let r=this._$AH,o=this._$AN;if(o!==void 0&&o.size!==0)if(t)if(Array.isArray(r))for(let i=n;i<r.length;i++)ot(r[i],!1),qt(r[i]);else r!=null&&(ot(r,!1),qt(r));else ot(this,e)}var Sa=e=>{e.type==Io.CHILD&&(e._$AP??=_a,e._$AQ??=Ma)},Dt=class extends Bt{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,r){super._$AT(t,n,r),Ho(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(ot(this,t),qt(this))}setValue(t){if(Lo(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var Bn=new WeakMap,zo=On(class extends Dt{render(e){return x}update(e,[t]){let n=t!==this.G;return n&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),x}rt(e){if(this.G!==void 0)if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=Bn.get(t);n===void 0&&(n=new WeakMap,Bn.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?Bn.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});var it=128;function st(e){return zo(t=>{t&&e(t)})}function ve(e,t,n,r=1){return st(o=>qn(o,e,t,n,r))}function qn(e,t,n,r,o){let i=n.length/t;e.width!==t&&(e.width=t),e.height!==i&&(e.height=i);let s=e.getContext("2d",{willReadFrequently:!0});if(!s||!t||!i)return;let a=Ea(r,o),c=s.createImageData(t,i),l=new Uint32Array(c.data.buffer);for(let u=0;u<n.length;u++){if(Number.isNaN(n[u]))continue;let d=Math.max(-1,Math.min(1,n[u]/o));l[u]=a[Math.round(d*it)+it]}s.putImageData(c,0,0)}var Uo=new WeakMap;function Ea(e,t){let n=Uo.get(e);if(n)return n;let r=Uint32Array.from({length:2*it+1},(o,i)=>{let[s,a,c]=Un(e((i-it)/it*t));return 255<<24|c<<16|a<<8|s});return Uo.set(e,r),r}function Oo(e,t){let n=t.length/e.length,r=new Array(n).fill(0);for(let o=0;o<e.length;o++)for(let i=0;i<n;i++)r[i]+=e[o]*t[o*n+i];return r}function Dn(e,t=1){let n=Array.from(e),r=Math.max(...n),o=n.map(s=>Math.exp((s-r)/t)),i=o.reduce((s,a)=>s+a,0);return o.map(s=>s/i)}function Ta(e,t=1){let n=Array.from(e,s=>s/t),r=[...n].sort((s,a)=>a-s),o=0,i=0;for(let s=1;s<=r.length&&(o+=r[s-1],1+s*r[s-1]>o);s++)i=(o-1)/s;return n.map(s=>Math.max(0,s-i))}function Na(e){let t=N(e);return Array.from(e,(n,r)=>r===t?1:0)}function Bo(e,t,n){return e==="hard"?Na(t):(e==="sparsemax"?Ta:Dn)(t,n)}function qo(e,t,n,r){return Array.from(e,(o,i)=>r?r[i]*Math.tanh(o+t[i]):n*o*t[i])}function N(e){let t=0;for(let n=1;n<e.length;n++)e[n]>e[t]&&(t=n);return t}function se(e){return Array.from(e,(t,n)=>n).sort((t,n)=>e[n]-e[t])}function at(e){let t=0;for(let n=0;n<e.length;n++)e[n]>0&&(t-=e[n]*Math.log2(e[n]));return t}function Do(e,t){let n=0;for(let r=0;r<e.length;r++)n+=Math.abs(e[r]-t[r]);return n/2}function jo(e,t){return 2*[...e].filter(r=>t.has(r)).length/Math.max(1,e.size+t.size)}function Go(e,t){let r={...{view:t,record:0,look:"",head:"mean",shift:0,chosen:!1,units:"words",ends:!0,row:0,column:-1,by:"row",stage:0,temperature:1,playing:!1,pace:2,sort:"layer",node:null,cut:!1,whatif:0,grid:!1},...D(e[0])};return{...r,row:Ra(e[0],r)}}function Ra(e,t){let n=I(e,t.look);if(n?.kind!=="source"||e.source?.kind!=="text")return 0;let{rows:r,columns:o,row:i}=Ue(e,n,t.head,t.shift,"words"),s=r.units.map(({mark:a},c)=>{let l=N(i(c)),u=Math.abs(l/o.units.length-c/r.units.length);return a||o.units[l].mark?0:i(c)[l]*u||0});return r.units[N(s)]?.positions[0]??0}function D(e){let{pointer:t,walk:n,looks:r}=e,o=r.filter(c=>c.kind==="source").at(-1)??r.at(-1),i=t?.look??n?.look??o?.name??"",a=I(e,i)?.heads===1?0:(t??n)?.head??"mean";return{look:i,head:a,shift:t?.shift??0,chosen:!1}}function I(e,t){return e.looks.find(n=>n.name===t)}function ze({record:e,choice:t}){let n=I(e,t.look);if(!n)return null;let r=n.kind==="source"?t.shift:0;return Ue(e,n,t.head,r,t.units)}function ce(e,t){let n=Ye(e.rows,t.row),r=t.column<0?N(e.row(n)):Ye(e.columns,t.column);return{row:n,column:r}}var Fo=new WeakMap;function Ue(e,t,n,r,o){let i=Fo.get(e)??new Map;Fo.set(e,i);let s=`${t.name} ${n} ${r} ${o}`,a=i.get(s)??Sr(e,t,n,r,o);return i.set(s,a),a}var Wo="Attention shows where the model looked, not why it said this.",Ca={source:"Looking at the source",past:"Looking at what it has said",reading:"The encoder looking at its own words"};function w(e){return f`<data class="number" data-value=${e} value=${e}>${T(e)}</data>`}function T(e){if(Number.isNaN(e))return"–";if(e===Number.NEGATIVE_INFINITY)return"−∞";let t=e.toFixed(3).replace("-","−");return t==="−0.000"?t.slice(1):t}function _(e){return f`<bdi class="token" dir="auto">${e}</bdi>`}function Oe(e,t,n){let r=new Set(e.looks.filter(i=>i.kind===t.kind).map(i=>i.layer)).size,o=[`layer ${t.layer+1} of ${r}`];return t.heads>1?typeof n.head=="number"?o.push(`head ${n.head+1} of ${t.heads}`):o.push(`${n.head==="mean"?"mean":"highest"} of ${t.heads} heads`):o.push("its only head"),t.kind==="source"&&o.push(n.shift?"read a step later, as the word was read in (shifted)":"read as the word was said (not shifted)"),`${Ca[t.kind]}: ${o.join(", ")}`}function Vo(e,t){let{pointer:n}=e,{look:r,head:o,shift:i}=D(e),s=r===t.look&&o===t.head&&i===t.shift;return!n||!s?t.chosen?"chosen by you":"":n.agreement?f`chosen because it agrees best with a dictionary (F1 ${w(n.agreement)})`:"chosen when the model was sealed"}function jt(e,t){let n=e.row(t),r=_(e.rows.units[t].label);if(Number.isNaN(n[0]))return f`${r} has no look of its own here: nothing was read in after it.`;let[o,i]=se(n);return f`${r} looked most at ${_(e.columns.units[o].label)}
  ${w(n[o])}${i===void 0||n[i]<.005?"":f`, then ${_(e.columns.units[i].label)} ${w(n[i])}`}`}function Ft(e,t){let n=e.rows.units.map((i,s)=>e.row(s)[t]||0),[r,o]=se(n);return f`${_(e.columns.units[t].label)} was looked at most by
  ${_(e.rows.units[r].label)} ${w(n[r])}${o===void 0||n[o]<.005?"":f`, then by ${_(e.rows.units[o].label)} ${w(n[o])}`}`}function ke(e,t){let n=0;for(let o=0;o<e.length;o++)n=Math.max(n,Math.abs(e[o]));let r=`${t}: ${e.length} numbers between ${T(-n)} and ${T(n)}`;return f`<figure class="vector" data-testid="strip" data-values=${Array.from(e).join(" ")}>
    <canvas class="strip" role="img" aria-label=${r}
      ${ve(e.length,e,Ut(n),n)}></canvas>
    <figcaption class="small soft">${t}: ${e.length} numbers, orange below zero, purple
      above, up to ±${w(n)}</figcaption>
  </figure>`}function Ko(e){let{records:t,choice:n,change:r}=e,[o]=t;if(o.source?.kind!=="text")return ie("These models did not read a text: there is no word to compare them by.");let i=o.source,s=B("source",i,"words"),a=Gt(o),c=a?ce(a,n).column:Ye(s,n.column);return f`${U({axis:s,side:"columns",name:"source, what all of them read",pieces:!1,hover:!0,current:c,asked:!0,value:()=>null,style:()=>"",label:l=>s.units[l].label,choose:(l,u)=>r({by:"column",column:s.units[l].positions[0]??0},u)})}
    <div class="models">${t.map(l=>Pa(l,i,c))}</div>
    ${Ha(t)}`}function Gt(e){let{look:t,head:n,shift:r}=D(e),o=I(e,t);return o?.kind==="source"?Ue(e,o,n,r,"words"):null}function Pa(e,t,n){let r=Gt(e),o=e.source?.kind==="text"&&e.source.text===t.text;return f`<article data-testid="model-card" data-model=${e.model.name}>
    <h3>${e.model.name}</h3>
    <p class="small soft">${e.model.about}</p>
    ${o?r?La(e,r,n):Ia(e):f`<p class="note">It did not read this source.</p>`}
  </article>`}function La(e,t,n){let r=D(e),o=I(e,r.look),i=t.columns.units.length,s=Math.min(n,i-1);return f`<p class="made" dir=${Ot(t.rows)}>${t.rows.units.map((a,c)=>{let l=t.row(c)[s];return f`<span class="word" data-testid="compared" data-value=${l} ?data-mark=${a.mark}
      title=${T(l)} .style=${$e(l)}>${a.label}</span> `})}</p>
  <p data-testid="said">${Ft(t,s)}.</p>
  <div class="mini" aria-hidden="true">
    <canvas ${ve(i,t.weights,oe)}></canvas>
    <i .style=${`left:${100*s/i}%;width:${100/i}%`}></i>
  </div>
  <p class="note">A row for each word it said, a column for each it read.
    ${o?Oe(e,o,r):x}.</p>`}function Ia(e){let t=e.summary===null?null:e.numbers(e.summary);return f`<p class="made" dir="auto">${e.target.text}</p>
    ${t?ke(t,"its summary of the whole source"):x}
    <p data-testid="said">It does not look back, whatever word is asked about: everything it knows of the
      sentence is in ${t?f`these ${t.length} numbers`:"its first state"}.</p>`}function Ha(e){let t=e.flatMap((n,r)=>e.slice(r+1).map(o=>[n,o]));for(let[n,r]of t){let[o,i]=[Gt(n),Gt(r)];if(!o||!i||n.target.text!==r.target.text||o.weights.length!==i.weights.length)continue;let s=o.weights.map((l,u)=>l-i.weights[u]),a=o.rows.units.length,c=o.columns.units.length;return f`<section class="difference" data-testid="difference"><h3>Where they differ</h3>
      <p class="note">Both said the same. Purple: ${n.model.name} looked there more; orange:
        ${r.model.name}.</p>
      <canvas role="img" aria-label=${`difference of their weights, ${a} rows, ${c} columns`}
        .style=${`width:${Math.min(560,c*24)}px;height:auto`}
        ${ve(c,s,Ut(1))}></canvas>
    </section>`}return f`<p class="note">No two of them said the same, so their maps cannot be subtracted.</p>`}var Yo=M`
  .models {
    display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
    gap: 1rem;
  }
  article {
    border: 1px solid var(--line); border-radius: 8px; padding: 1rem; display: grid; gap: 0.75rem;
    align-content: start; min-width: 0;
  }
  article h3 { overflow-wrap: anywhere; }
  .made { font-size: 1.2rem; line-height: 1.65; overflow-wrap: anywhere; }
  .mini { position: relative; max-width: 16rem; overflow: clip; overflow-clip-margin: 2px; }
  .mini canvas { width: 100%; height: auto; border-radius: 3px; }
  .mini i { position: absolute; top: 0; bottom: 0; box-shadow: 0 0 0 1px #fff, 0 0 0 2px #000; }
  .difference { display: grid; gap: 0.5rem; justify-items: start; }
`;var Wt=6,Xo=L`<munder><mo>∑</mo><mi>d</mi></munder>`,Qo=L`<msub><mi>q</mi><mi>d</mi></msub>`,Zo=L`<msub><mi>k</mi><mrow><mi>s</mi><mi>d</mi></mrow></msub>`,jn=L`<msub><mi>e</mi><mi>s</mi></msub>`,za=L`<msub><mi>e</mi><mi>j</mi></msub>`,Ua=L`<msub><mi>α</mi><mi>s</mi></msub>`,Oa=L`<mrow><mo>(</mo><mi>s</mi><mo>−</mo><mi>p</mi><mo>)</mo></mrow>`,Ba=L`<mi>D</mi>`,Jo=e=>L`<msup>${e}<mn>2</mn></msup>`;function ei(e){let t=e?L`${Xo}<msub><mi>v</mi><mi>d</mi></msub><mi>tanh</mi><mo>(</mo>${Qo}<mo>+</mo>${Zo}<mo>)</mo>`:L`<mi>c</mi>${Xo}${Qo}<mo>⁢</mo>${Zo}`;return f`<math display="block"><mrow>${jn}<mo>=</mo>${t}</mrow></math>`}function ti(e,t){let n=i=>L`<mrow><mi>exp</mi><mo>(</mo>${i}<mo>/</mo><mi>τ</mi><mo>)</mo></mrow>`,r={hard:L`<mn>1</mn><mtext> at the highest score, </mtext><mn>0</mn><mtext> elsewhere</mtext>`,sparsemax:L`<mi>max</mi><mo>(</mo><mn>0</mn><mo>,</mo>${jn}<mo>/</mo><mi>τ</mi><mo>−</mo><mi>θ</mi><mo>)</mo>`,softmax:L`<mfrac>${n(jn)}<mrow><munder><mo>∑</mo><mi>j</mi></munder>${n(za)}</mrow></mfrac>`},o=t?L`<mo>·</mo><mi>exp</mi><mo>(</mo><mo>−</mo><mn>2</mn>${Jo(Oa)}<mo>/</mo>${Jo(Ba)}<mo>)</mo>`:"";return f`<math display="block"><mrow>${Ua}<mo>=</mo>${r[e]}${o}</mrow></math>`}function ni(e,t){let{inside:n,units:r,scores:o}=e;if(!n||!o)return f``;let{query:i,keys:s,scale:a,energy:c}=n,l=i.length,u=s.subarray(t*l,(t+1)*l),d=qo(i,u,a,c),h=se(d.map(Math.abs)),m=h.slice(Wt).reduce((b,$)=>b+d[$],0),g=d.reduce((b,$)=>b+$,0),p=c?f`v<sub>d</sub> · tanh(q<sub>d</sub> + k<sub>d</sub>)`:f`c · q<sub>d</sub> · k<sub>d</sub>`;return f`<table class="apart" data-testid="summands" data-source=${t}>
    <caption>Why ${_(r[t].label)} scores ${w(o[t])}${c?"":f`, with c = ${w(a)}`}</caption>
    <thead><tr><th scope="col">unit d</th><th scope="col">q<sub>d</sub></th><th scope="col">k<sub>d</sub></th>
      ${c?f`<th scope="col">v<sub>d</sub></th>`:""}<th scope="col">${p}</th></tr></thead>
    <tbody>
      ${h.slice(0,Wt).map(b=>f`<tr><th scope="row">${b+1}</th><td>${w(i[b])}</td><td>${w(u[b])}</td>
          ${c?f`<td>${w(c[b])}</td>`:""}<td>${w(d[b])}</td></tr>`)}
      ${l>Wt?f`<tr><th scope="row" colspan=${c?4:3}>the other ${l-Wt} units</th>
              <td data-testid="rest">${w(m)}</td></tr>`:""}
      <tr class="total"><th scope="row" colspan=${c?4:3}>sum</th>
        <td data-testid="score-sum">${w(g)}</td></tr>
    </tbody>
  </table>
  ${o[t]===Number.NEGATIVE_INFINITY?f`<p class="note">The span hides this position: the sum above is not used.</p>`:Math.abs(g-o[t])>.005?f`<p class="note">The model’s own score is ${w(o[t])}.</p>`:""}`}var ri=M`
  math {
    font-size: 1.15rem; text-align: start; margin: 0.25rem 0; overflow-x: auto; overflow-y: hidden;
  }
  .apart { border-collapse: collapse; font-size: 0.875rem; max-width: 100%; }
  .apart caption { text-align: start; padding-bottom: 0.3rem; color: var(--ink); }
  .apart th, .apart td {
    text-align: end; padding: 0.12rem 0.5rem; border-top: 1px solid var(--line); font-weight: 400;
  }
  .apart th { color: var(--soft); }
  .apart thead th { border: 0; }
  .apart .total > * { color: var(--ink); font-weight: 650; border-top: 2px solid var(--line); }
`;var Fn=128,Gn=56,qa=15,Da=44;function oi(e,t){let n=a=>a.flatMap((c,l)=>c.mark&&!e.choice.ends?[]:[l]),r=n(t.rows.units),o=n(t.columns.units),i=Math.floor((e.width-Fn-Gn)/Math.max(1,o.length)),s=Math.max(qa,Math.min(Da,i));return{chart:t,rows:r,columns:o,cell:s,at:(a,c)=>t.row(r[a])[o[c]]}}function Vt(e,{chart:t,rows:n,columns:r}){let{row:o,column:i}=ce(t,e.choice);return[Math.max(0,n.indexOf(o)),Math.max(0,r.indexOf(i))]}function Wn(e,t,n,r){let{record:o}=e;if(I(o,e.choice.look)?.kind!=="source"||o.source?.kind!=="text")return x;let{source:s,target:a}={source:o.source,target:o.target},{chart:c,cell:l}=t,u=(d,h,m)=>{let g=d.flatMap((p,b)=>h[p].positions.some($=>m.includes($))?[b]:[]);return[g[0],g.length]};return n.map(([d,h])=>{let[m,g]=u(t.columns,c.columns.units,s.word_pieces[d]),[p,b]=u(t.rows,c.rows.units,a.word_pieces[h]);if(!g||!b)return x;let $=`left:${m*l}px;top:${p*l}px`,y=`width:${g*l}px;height:${b*l}px`;return f`<i class=${r} data-testid=${r} data-link=${`${d}-${h}`}
      .style=${`${$};${y}`}></i>`})}var ii=M`
  .gold { box-shadow: inset 0 0 0 1px #000, inset 0 0 0 3px #ff9d3b, inset 0 0 0 4px #000; }
  .link::after {
    content: ""; position: absolute; top: 3px; right: 3px; width: 6px; height: 6px;
    border-radius: 50%;
    background: #fff; border: 1px solid #000;
  }
  .key {
    position: relative; width: 1.1rem; height: 1.1rem; background: #40516f; border-radius: 2px;
  }
  .key i { position: absolute; inset: 0; }
`;var ja=120,si=36,Fa=2500;function ai(e,t){let{chart:n,rows:r,columns:o,cell:i,at:s}=t,[a,c]=Vt(e,t),l=r.flatMap((v,k)=>o.map((S,E)=>s(k,E))),u=o.map((v,k)=>r.reduce((S,E,j)=>S+(s(j,k)||0),0)),d=r.length*o.length<=Fa,h=(v,k,S=!0)=>{let E={row:n.rows.units[r[v]].positions[0]??0,column:n.columns.units[o[k]].positions[0]??0};e.change(E,S?`[data-row="${v}"][data-column="${k}"]`:void 0)},m=v=>{let k=Wa(v,a,c,t);k&&(v.preventDefault(),h(...k))},g=v=>{let k=v.currentTarget.getBoundingClientRect(),S=Math.floor((v.clientX-k.left)/i),E=Math.floor((v.clientY-k.top)/i);E>=0&&S>=0&&E<r.length&&S<o.length&&(E!==a||S!==c)&&h(E,S,v.type==="click")},p=(v,k)=>{let S=s(v,k),E=i>=si&&S>=.005?T(S):"";return f`<span role="gridcell" data-testid="cell" data-row=${v} data-column=${k}
      data-value=${S} aria-colindex=${k+2} tabindex=${v===a&&k===c?0:-1}
      aria-label=${Ga(t,v,k)} .style=${E?`color:${zn(oe(S))}`:""}
      >${E}</span>`},b=o.map((v,k)=>{let{label:S,mark:E}=n.columns.units[v];return f`<span role="columnheader" class="top ${k===c?"here":""}"
      aria-colindex=${k+2} title=${S} ?data-mark=${E}><bdi dir="auto">${S}</bdi></span>`}),$=r.map((v,k)=>{let{label:S,mark:E}=n.rows.units[v],j=o.reduce((De,A,Q)=>De+s(k,Q),0);return f`<div role="row" class="line" aria-rowindex=${k+2}>
      <span role="rowheader" class="side ${k===a?"here":""}" aria-colindex="1" title=${S}
        ?data-mark=${E}><bdi dir="auto">${S}</bdi></span>
      ${d||k===a?o.map((De,A)=>p(k,A)):f`<span role="presentation" .style=${`grid-column:span ${o.length}`}></span>`}
      <span role="gridcell" class="sum" data-testid="row-sum" data-value=${j}
        aria-colindex=${o.length+2} aria-label=${`sum ${T(j)}`}>${T(j)}</span>
    </div>`}),y=Math.max(...o.map(v=>n.columns.units[v].label.length),4),V=`${`--head:${Math.min(ja,20+9*y)}px;--cell:${i}px;--label:${Fn}px;--sum:${Gn}px`};--columns:${o.length}`;return f`<div class="scroll matrix ${d?"":"boxed"}" .style=${V} data-testid="matrix">
    <div class="sheet">
      <div class="cells" aria-hidden="true" @pointermove=${g} @click=${g}>
        <canvas data-testid="cells" ${ve(o.length,l,oe)}></canvas>
        ${Wn(e,t,e.record.links,"link")}
        ${Wn(e,t,e.record.gold??[],"gold")}
        <i class="cursor" .style=${`left:${c*i}px;top:${a*i}px`}></i>
      </div>
      <div role="grid" aria-label="weights, a row for each word that looks"
        aria-rowcount=${r.length+2} aria-colcount=${o.length+2} @keydown=${m}>
        <div role="row" class="line heads" aria-rowindex="1">
          <span role="columnheader" class="corner" aria-colindex="1">
            <span>${n.rows.name} ↓</span> <span>${n.columns.name} →</span></span>
          ${b}
          <span role="columnheader" class="sum" aria-colindex=${o.length+2}>sum</span>
        </div>
        ${$}
        <div role="row" class="line foot" aria-rowindex=${r.length+2}>
          <span role="rowheader" class="side" aria-colindex="1" 
            title="how much each word was looked at in all">coverage</span>
          ${u.map((v,k)=>f`<span role="gridcell" data-testid="coverage" data-value=${v}
              aria-colindex=${k+2} aria-label=${`coverage ${T(v)}`} title=${T(v)}
              ><i .style=${`height:${1.5*v/Math.max(...u,1)}rem`}></i
              ><b>${i>=si?T(v):""}</b></span>`)}
          <span role="gridcell" aria-label="no sum"></span>
        </div>
      </div>
    </div>
  </div>`}function Ga({chart:e,rows:t,columns:n,at:r},o,i){let s=r(o,i),a=n.filter((d,h)=>r(o,h)>s).length,c=a?`number ${a+1}`:"highest",[l,u]=[e.rows,e.columns];return`${l.name} ${l.units[t[o]].label} ← ${u.name} ${u.units[n[i]].label} ${T(s)}, ${Number.isNaN(s)?"no look":c} of ${n.length}`}function Wa(e,t,n,r){let{rows:o,columns:i,at:s}=r,c={ArrowRight:[t,n+1],ArrowLeft:[t,n-1],ArrowDown:[t+1,n],ArrowUp:[t-1,n],Home:[e.ctrlKey?0:t,0],End:[e.ctrlKey?o.length-1:t,i.length-1],PageUp:[t,N(i.map((u,d)=>s(t,d)))],PageDown:[N(o.map((u,d)=>s(d,n))),n]}[e.key];return c?.[0]>=0&&c[1]>=0&&c[0]<o.length&&c[1]<i.length?c:null}var li=M`
  .boxed { max-height: min(80vh, 60rem); }
  .sheet { position: relative; width: max-content; padding-bottom: 2px; }
  .line {
    display: grid;
    grid-template-columns: var(--label) repeat(var(--columns), var(--cell)) var(--sum);
    height: var(--cell);
  }
  .line > * { min-width: 0; overflow: hidden; position: relative; }
  .line > [data-row] {
    display: grid; place-items: center; font-size: 0.72rem; line-height: 1; pointer-events: none;
    scroll-margin: var(--head) var(--sum) 0 var(--label);
  }
  .line > [data-row]:focus-visible { outline-offset: -2px; outline-color: #fff; }
  .heads { height: var(--head); position: sticky; top: 0; z-index: 3; background: var(--paper); }
  .top {
    writing-mode: vertical-rl; text-orientation: sideways; transform: rotate(180deg);
    display: flex; align-items: center; padding: 0.35rem 0;
    font-size: min(0.875rem, calc(var(--cell) * 0.75));
    line-height: 1;
  }
  .top bdi, .side bdi {
    line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    max-height: 100%;
  }
  .side {
    display: flex; align-items: center; justify-content: end; padding-inline: 0.25rem 0.6rem;
    position: sticky !important;
    left: 0; z-index: 2; background: var(--paper);
    font-size: min(0.875rem, calc(var(--cell) * 0.75)); line-height: 1.2;
  }
  .line .here { font-weight: 700; color: var(--accent); }
  .line [data-mark] { color: var(--soft); font-size: min(0.75rem, calc(var(--cell) * 0.7)); }
  .corner {
    display: flex; flex-direction: column; justify-content: end; align-items: end;
    padding: 0.35rem 0.6rem;
    font-size: 0.75rem; color: var(--soft); position: sticky !important; left: 0; z-index: 4;
    background: var(--paper);
  }
  .sum {
    display: flex; align-items: end; padding-inline-start: 0.6rem;
    font-size: min(0.75rem, calc(var(--cell) * 0.8)); color: var(--soft); line-height: 1.2;
  }
  .line:not(.heads) .sum { align-items: center; }
  .foot { height: 3.2rem; padding-top: 2px; }
  .foot .side { font-size: 0.75rem; color: var(--soft); align-items: start; line-height: 1.5rem; }
  .foot [role="gridcell"] {
    display: flex; flex-direction: column; align-items: center; justify-content: space-between;
  }
  .foot i { width: 70%; max-height: 1.5rem; background: var(--line); border-radius: 0 0 2px 2px; }
  .foot b { font-size: 0.72rem; font-weight: 500; color: var(--soft); line-height: 1.4; }
  .cells {
    position: absolute; left: var(--label); top: var(--head); z-index: 0; overflow: hidden;
    width: calc(var(--columns) * var(--cell)); border-radius: 3px;
  }
  .cells canvas { width: 100%; height: auto; }
  .cells::after {
    content: ""; position: absolute; inset: 0; pointer-events: none; opacity: 0.12;
    background: linear-gradient(#fff 1px, transparent 1px) 0 -1px / 100% var(--cell),
      linear-gradient(90deg, #fff 1px, transparent 1px) -1px 0 / var(--cell) 100%;
  }
  .cells i { position: absolute; pointer-events: none; }
  .cells .cursor {
    width: var(--cell); height: var(--cell); box-shadow: inset 0 0 0 2px #fff, inset 0 0 0 3px #000;
  }
`;var Va=[["source","At the source"],["past","At what was said"],["reading","The encoder at its own words"]];function Ae(e,t=x){let{record:n,choice:r,change:o}=e,i=I(n,r.look),s=a=>o({...a,chosen:!0});return f`<div class="controls">
    <label>look
      <select data-testid="look" @change=${a=>s(Ya(e,Vn(a)))}>
        ${Va.map(([a,c])=>{let l=n.looks.filter(u=>u.kind===a);return l.length?f`<optgroup label=${c}>
                ${l.map(u=>f`<option value=${u.name} ?selected=${u.name===r.look}>
                    ${c}, layer ${u.layer+1}</option>`)}</optgroup>`:x})}
      </select>
    </label>
    <label>head
      <select data-testid="head" @change=${a=>s({head:Xa(Vn(a))})}>
        ${Kt(i).map(a=>f`<option value=${a} ?selected=${a===r.head}>
            ${typeof a=="number"?a+1:a}</option>`)}
      </select>
    </label>
    ${i?.kind==="source"?f`<label>moment
            <select data-testid="shift"
              @change=${a=>s({shift:Number(Vn(a))})}>
              <option value="0" ?selected=${r.shift===0}>as the word was said</option>
              <option value="1" ?selected=${r.shift===1}>a step later (shifted)</option>
            </select>
          </label>`:x}
    ${Ka(e)} ${t}
    ${r.chosen?f`<button data-testid="reset" @click=${()=>o(D(n),'[data-testid="look"]')}>
            Back to the best look</button>`:x}
  </div>`}function Ka({choice:e,change:t}){let n=r=>f`<button data-testid=${r}
    aria-pressed=${e.units===r} @click=${()=>t({units:r})}>${r}</button>`;return f`<div class="field" role="group" aria-label="words or pieces">
    <span aria-hidden="true">between</span>
    <span class="pair">${n("words")}${n("pieces")}</span>
  </div>`}function ue({record:e,choice:t}){let n=I(e,t.look);if(!n)return f``;let r=Vo(e,t);return f`<p class="note" data-testid="caption">
    <strong>${Oe(e,n,t)}</strong>${r?f`; ${r}`:x}.
    ${Wo}
  </p>`}function Ya({record:e,choice:t},n){let r=Kt(I(e,n));return{look:n,head:r.includes(t.head)?t.head:r[0]}}function Kt(e){let t=[...Array(e?.heads??0).keys()];return t.length>1?[...t,"mean","max"]:t}function Xa(e){return e==="mean"||e==="max"?e:Number(e)}function Vn(e){return e.target.value}var Qa={id:"entropy",title:"entropy",explain:"in bits: 0 where every word looks at one place only",rising:!0,of:(e,t,n)=>ui(e,t,n,r=>at(r))},Za={id:"diagonality",title:"diagonality",explain:"1 where every word looks at its own place in the other text",rising:!1,of:(e,t,n)=>ui(e,t,n,(r,o)=>{let i=0;for(let s=0;s<r.length;s++)i+=r[s]*Math.abs(s/Math.max(1,r.length-1)-o);return 1-i})},Ja={id:"agreement",title:"agreement with the best look",explain:"F1 of its links with those of the best look: 1 where all are the same",rising:!1,of:(e,t,n,r)=>di(e,t,n,r,e.links)},el={id:"error",title:"alignment error (AER)",explain:"against links made by hand: 0 where all are the same",rising:!0,of:(e,t,n,r)=>{let o=di(e,t,n,r,e.gold??[]);return o===void 0?void 0:1-o}};function ci(e){return[Qa,Za,...e.links.length?[Ja]:[],...e.gold?[el]:[]]}function ui(e,t,n,r){let o=te(e.numbers(t.weights),t.heads,n),i=Kn(e,t),s=o.length/i,a=0;for(let c=0;c<s;c++)a+=r(o.subarray(c*i,(c+1)*i),c/Math.max(1,s-1));return a/s}function Kn(e,t){return e.numbers(t.norms).length/t.heads}function di(e,t,n,r,o){if(t.kind!=="source"||e.source?.kind!=="text")return;let i=Ue(e,t,n,r,"words"),s=new Set;return i.rows.units.forEach((a,c)=>{let l=N(i.row(c));!a.mark&&i.columns.units[l]&&!i.columns.units[l].mark&&s.add(`${l}-${c}`)}),jo(s,new Set(o.map(([a,c])=>`${a}-${c}`)))}var tl=[["source","Looking at the source"],["past","Looking at what it has said"],["reading","The encoder looking at its own words"]];function hi(e){let{record:t,choice:n,change:r}=e;if(!t.looks.length)return X(t);let o=ci(t),i=o.find(({id:s})=>s===n.sort);return f`<div class="controls">
      <label>sort by <select data-testid="sort"
        @change=${s=>r({sort:s.target.value})}>
        <option value="layer" ?selected=${!i}>layer and head</option>
        ${o.map(s=>f`<option value=${s.id} ?selected=${s===i}>${s.title}</option>`)}
      </select></label>
      ${i?f`<p class="note">${i.title}, ${i.explain}</p>`:x}
    </div>
    ${tl.map(([s,a])=>nl(e,s,a,i))}
    <div class="controls">
      ${[t.source?.kind==="image"?["image","See it on the picture"]:["reading","Read it"],["matrix","See its matrix"],["walk","Walk through it"]].map(([s,a])=>f`<button @click=${()=>r({view:s},`#tab-${s}`)}>${a}</button>`)}
    </div>
    ${ue(e)}`}function nl(e,t,n,r){let{record:o,choice:i}=e,s=o.looks.filter(u=>u.kind===t);if(!s.length)return x;let a=u=>Kt(u).map(d=>({look:u,head:d,value:r?.of(o,u,d,i.shift)})),c=(u,d)=>f`<div class="tiles">${d}${u.map(h=>rl(e,h,r))}</div>`,l=(u,d)=>((u.value??Number.POSITIVE_INFINITY)-(d.value??Number.POSITIVE_INFINITY))*(r?.rising?1:-1);return f`<section class="kind" aria-label=${n}><h3>${n}</h3>
    ${r?c(s.flatMap(a).sort(l),x):s.map(u=>c(a(u),f`<span class="layer small soft">layer ${u.layer+1}</span>`))}
  </section>`}function rl(e,{look:t,head:n,value:r},o){let{record:i,choice:s,change:a}=e,c=typeof n=="number"?`${n+1}`:n,l=o?f`<span class="hidden">layer and head </span>${t.layer+1} · ${c}`:f`<span class="hidden">layer ${t.layer+1}, </span>${typeof n=="number"?"head ":""}${c}`;return f`<button class="tile" data-testid="tile" data-look=${t.name} data-head=${n}
    aria-pressed=${s.look===t.name&&s.head===n}
    @click=${()=>a({look:t.name,head:n,chosen:!0})}>
    <canvas ${st(u=>ol(u,i,t,n))}></canvas>
    <span class="small">${l}</span>
    ${r===void 0?x:f`<span class="small">${w(r)}</span>`}
  </button>`}var fi=new WeakMap;function ol(e,t,n,r){let o=`${t.model.sha256} ${t.target.text} ${n.name} ${r}`;if(fi.get(e)===o)return;fi.set(e,o);let i=te(t.numbers(n.weights),n.heads,r);qn(e,Kn(t,n),i,oe,1)}var mi=M`
  .kind { display: grid; gap: 0.75rem; }
  .tiles { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
  .layer { width: 4.5rem; }
  .tile {
    display: grid; gap: 0.15rem; padding: 0.4rem; justify-items: center; border-color: transparent;
  }
  .tile canvas { width: 5rem; height: 5rem; border-radius: 3px; }
  .tile[aria-pressed="true"] { font-weight: 650; }
  @media (max-width: 36rem) { .layer { width: 100%; } .tile canvas { width: 4rem; height: 4rem; } }
`;function il({chart:e,rows:t,columns:n,at:r}){let o=n.map(s=>pi(e.columns.units[s].label)),i=t.map((s,a)=>[pi(e.rows.units[s].label),...n.map((c,l)=>Number.isNaN(r(a,l))?"":String(r(a,l)))]);return[['""',...o],...i].map(s=>`${s.join(",")}\r
`).join("")}function pi(e){return`"${(/^[=+\-@\t\r]/.test(e)?`'${e}`:e).replaceAll('"','""')}"`}function gi(e){return location.protocol==="about:"?x:f`<button data-testid="csv" @click=${()=>{let n=document.createElement("a");n.href=URL.createObjectURL(new Blob([il(e)],{type:"text/csv"})),n.download="weights.csv",n.click(),URL.revokeObjectURL(n.href)}}>Save as CSV</button>`}function bi(e){let t=ze(e);if(!t)return X(e.record);let n=oi(e,t),r=f`<label class="inline"><input type="checkbox" data-testid="ends"
    .checked=${e.choice.ends}
    @change=${()=>e.change({ends:!e.choice.ends})}> start and end marks</label>`;return f`${Ae(e,[r,gi(n)])} ${ai(e,n)} ${sl(e,n)}
    ${al(e,t)} ${ll(e)} ${ue(e)}`}function sl(e,t){let{chart:n,rows:r,columns:o,at:i}=t;if(!r.length||!o.length)return f`<p class="said">Only marks, and they are hidden.</p>`;let[s,a]=Vt(e,t);if(Number.isNaN(i(s,a)))return f`<p class="said" data-testid="said">${jt(n,r[s])}</p>`;let c=N(o.map((u,d)=>i(s,d))),l=c===a?"its highest":f`its highest is ${_(n.columns.units[o[c]].label)} ${w(i(s,c))}`;return f`<p class="said" data-testid="said">
    ${_(n.rows.units[r[s]].label)} ← ${_(n.columns.units[o[a]].label)}
    ${w(i(s,a))}, ${l}</p>`}function al({choice:e},t){if(e.ends)return x;let n=t.columns.units.flatMap((i,s)=>i.mark?[s]:[]),r=t.rows.units.flatMap((i,s)=>i.mark?[]:[n.reduce((a,c)=>a+(t.row(s)[c]||0),0)]),o=r.reduce((i,s)=>i+s,0)/Math.max(1,r.length);return f`<p class="note" data-testid="hidden-marks">Marks are hidden. They took
    ${w(o)} of the look of a row on average, so rows sum to less than 1.</p>`}function ll({record:e}){let t=Array.from({length:17},(n,r)=>oe(r/16));return f`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${`background:linear-gradient(90deg,${t.join()})`}></i> 1</span>
    ${e.links.length?f`<span><i class="key"><i class="link"></i></i> linked by the best look</span>`:x}
    ${e.gold?f`<span><i class="key"><i class="gold"></i></i> linked by hand (gold)</span>`:x}
    <span>Page Up: the row’s highest; Page Down: the column’s</span>
  </p>`}function xi({choice:e,change:t},n,r){let{units:o,scores:i,weights:s,norms:a}=n,c=s.map((b,$)=>b*a[$]),l=Array.from(i??[]).filter(Number.isFinite),u=W().domain([Math.min(0,...l),Math.max(0,...l)]).range([0,100]),d=W().domain([0,Math.max(...c)||1]).range([0,100]),h=W().domain([0,Math.max(1,...s)]).range([0,100]),m=b=>t({column:b},`[data-position="${b}"]`),g=b=>{let $={ArrowDown:1,ArrowUp:-1}[b.key],y=$===void 0?-1:r+$;y<0||y>=o.length||(b.preventDefault(),m(y))},p=b=>e.stage===b?"current":"";return f`<div class="scroll tall"><table class="bars" data-testid="answers">
    <caption class="hidden">What each position scored, got and brought</caption>
    <colgroup><col class="name"></colgroup>
    <thead><tr><th scope="col"><span class="hidden">position</span></th>
      <th scope="col" class=${p(1)}>score</th><th scope="col" class=${p(2)}>weight</th>
      <th scope="col" class=${p(3)}>weight × ‖value‖</th></tr></thead>
    <tbody @keydown=${g}>
      ${o.map(({label:b,mark:$},y)=>f`<tr class=${y===r?"here":""}>
          <th scope="row"><button data-position=${y} tabindex=${y===r?0:-1} title=${b}
            aria-pressed=${y===r} ?data-mark=${$} @click=${()=>m(y)}><bdi dir="auto">${b}</bdi></button></th>
          <td class=${p(1)} data-testid="score">${i===null?"–":Yt(u(0),u(Number.isFinite(i[y])?i[y]:0),i[y])}</td>
          <td class=${p(2)} data-testid="weight">${Yt(0,h(s[y]),s[y])}</td>
          <td class=${p(3)} data-testid="brought">${Yt(0,d(c[y]),c[y])}</td>
        </tr>`)}
    </tbody></table></div>`}function wi(e,t){let n=e.target.pieces[t],{top:r,logp:o}=e.steps[t],i=r.some(([s])=>s===n)?r:[...r,[n,o]];return f`<table class="bars outcome" data-testid="output">
    <caption class="hidden">The likeliest pieces</caption>
    <colgroup><col class="name"></colgroup>
    <tbody>${i.map(([s,a])=>f`<tr class=${s===n?"said-row":""} data-piece=${s}>
        <th scope="row">${_(H(s))}${s===n?f` <span class="soft small">said</span>`:""}</th>
        <td data-testid="probability">${Yt(0,100*Math.exp(a),Math.exp(a))}</td></tr>`)}</tbody></table>`}function Yt(e,t,n){let[r,o]=e<t?[e,t]:[t,e];return f`<span class="bar"><i .style=${`margin-inline-start:${r}%;width:${o-r}%`}></i></span>${w(n)}`}var yi=M`
  .outcome { max-width: 44rem; }
  .tall { max-height: 34rem; }
  .bars { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: 0.875rem; }
  .bars thead th {
    text-align: start; font-weight: 500; color: var(--soft); padding: 0 0.5rem 0.25rem;
    position: sticky; top: 0; background: var(--paper); z-index: 1;
  }
  .bars thead .current {
    color: var(--accent); font-weight: 650; box-shadow: inset 0 -2px var(--accent);
  }
  .bars td { padding: 0.1rem 0.5rem; vertical-align: middle; }
  .bars tbody th {
    text-align: start; font-weight: 400; padding: 0.1rem 0.25rem 0.1rem 0; overflow: hidden;
    text-overflow: ellipsis; white-space: nowrap;
  }
  .bars .name { width: 8.5rem; }
  .bars th button {
    border-color: transparent; padding: 0 0.35rem; min-height: 1.5rem; width: 100%;
    text-align: start; background: none; overflow: hidden; text-overflow: ellipsis;
    white-space: nowrap; display: block;
  }
  .bars th button:focus-visible { outline-offset: -2px; }
  .bars tr.here button { border-color: var(--accent); background: var(--accent-soft); }
  .bars button[data-mark] { color: var(--soft); }
  .bars td .number {
    font-size: 0.8125rem; float: inline-end; width: 3.4rem; text-align: end; line-height: 1.1rem;
  }
  .bar {
    display: inline-block; width: calc(100% - 3.6rem); height: 0.7rem; vertical-align: middle;
  }
  .bar i {
    display: block; height: 100%; min-width: 1px; background: var(--bar); border-radius: 2px;
    transition: width 0.35s ease, margin 0.35s ease;
  }
  .said-row .bar i { background: var(--mark); }
  @media (forced-colors: active) { .bar i { background: CanvasText; forced-color-adjust: none; } }
  @media (max-width: 36rem) { .bars .name { width: 6rem; } .bars td { padding-inline: 0.2rem; } }
`;var cl=.05,ul=.78;function vi(e){let{record:t,choice:n,change:r}=e,o=t.source,i=ze(e);if(!i)return X(t);if(I(t,n.look)?.kind!=="source")return f`${Ae(e)} ${ie("This look is not at the picture: choose one at the source.")}`;let{row:s}=ce(i,n),a=(l,u)=>r({by:"row",row:i.rows.units[l].positions[0]??0,column:-1},u),c=f`<label class="inline"><input type="checkbox" data-testid="grid" .checked=${n.grid}
    @change=${()=>r({grid:!n.grid})}> grid and numbers</label>`;return f`${Ae(e,c)}
    <div class="captioned">
      ${$i(o,i.row(s),n.grid)}
      <div class="beside">
        ${U({axis:i.rows,side:"rows",name:"target, what it said",pieces:n.units==="pieces",hover:!0,current:s,asked:!0,value:()=>null,style:()=>"",label:l=>i.rows.units[l].label,choose:a})}
        ${fl(i,s)} ${hl(i)} ${ue(e)}
      </div>
    </div>
    <div class="film" role="group" aria-label="every word with where it looked">
      ${i.rows.units.map((l,u)=>f`<button class="shot" data-testid="shot" aria-pressed=${u===s} @click=${()=>a(u)}>
          ${$i(o,i.row(u),!1)}<span><bdi dir="auto">${l.label}</bdi></span>
          <span class="small soft">${w(at(i.row(u)))} bits</span></button>`)}
    </div>`}function $i(e,t,n){let r=t[N(t)],{rows:o,columns:i}=e,s=`aspect-ratio:${e.width}/${e.height}`,a=e.picture.startsWith("data:image/")?e.picture:"";return f`<figure class="lit" .style=${s}><img src=${a} alt="the picture that was read">
    <canvas aria-hidden="true" ${st(c=>dl(c,i,t,r))}></canvas>
    ${n?f`<div class="places" .style=${`grid-template:repeat(${o},1fr)/repeat(${i},1fr)`}>
            ${Array.from(t,c=>f`<span data-testid="place" data-value=${c}>${T(c)}</span>`)}</div>`:x}</figure>`}function dl(e,t,n,r){e.width=t,e.height=n.length/t;let o=e.getContext("2d");if(!o)return;let i=o.createImageData(e.width,e.height);n.forEach((s,a)=>{i.data[4*a+3]=255*ul*(1-s/(r||1))}),o.putImageData(i,0,0)}function fl(e,t){let n=e.row(t),r=N(n);return f`<p class="said" data-testid="said">${_(e.rows.units[t].label)} looked most at
    ${e.columns.units[r].label}, ${w(n[r])} of ${n.length} places; entropy
    ${w(at(n))} of ${w(Math.log2(n.length))} bits.</p>`}function hl(e){let n=e.rows.units.slice(1).map((o,i)=>Do(e.row(i),e.row(i+1))).filter(o=>!Number.isNaN(o));if(!n.length)return f`<p class="note">There is one word: nothing to compare.</p>`;let r=n.reduce((o,i)=>o+i,0)/n.length;return f`<p class="note" data-testid="moves">From word to word ${w(r)} of the look moves
    elsewhere.${r<cl?f` <strong>It hardly moves at all: the words do not look at different places. Attention that
            never varies tells nothing of the picture, and often means that training went wrong.</strong>`:x}</p>`}var ki=M`
  .captioned {
    display: grid; grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); gap: 1.5rem;
    align-items: start;
  }
  .beside { display: grid; gap: 1rem; }
  .lit { position: relative; overflow: hidden; border-radius: 4px; width: 100%; }
  .lit img, .lit canvas, .places { position: absolute; inset: 0; width: 100%; height: 100%; }
  .lit canvas { image-rendering: auto; }
  .places { display: grid; }
  .places span {
    display: grid; place-items: center; font-size: 0.625rem; color: #fff;
    text-shadow: 0 0 2px #000, 0 0 2px #000; outline: 1px solid #ffffff55;
  }
  .film { display: flex; flex-wrap: wrap; gap: 0.75rem; }
  .shot {
    display: grid; gap: 0.15rem; width: 7rem; padding: 0.35rem; text-align: start;
    align-content: start;
  }
  .shot bdi { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  @media (max-width: 48rem) { .captioned { grid-template-columns: minmax(0, 1fr); } }
`;var Xt={source:"source, what it read",target:"target, what it said",past:"what it had said by then",picture:"the picture"};function Ai(e){let t=ze(e);return t?ml(e,t):pl(e.record)}function ml(e,t){let{record:n,choice:r,change:o}=e,{row:i,column:s}=ce(t,r),a=r.by==="row",[c,l]=[t.rows,t.columns],u=(m,g)=>o({by:"row",row:c.units[m].positions[0]??0},g),d=(m,g)=>o({by:"column",column:l.units[m].positions[0]??0},g),h=(m,g)=>t.row(m)[g];return f`${Ae(e)}
    <div class="texts">
      ${U({axis:l,side:"columns",name:Xt[l.name],pieces:r.units==="pieces",hover:!0,current:s,asked:!a,value:m=>a?h(i,m):null,style:m=>a?$e(h(i,m)):"",label:m=>`${l.units[m].label}, ${a?T(h(i,m)):"source word"}`,choose:d})}
      ${U({axis:c,side:"rows",name:c===l?"the same words, looking":Xt[c.name],pieces:r.units==="pieces",hover:!0,current:i,asked:a,value:m=>a?null:h(m,s),style:m=>`${a?"":$e(h(m,s))};${_i(n,c,m)}`,label:m=>`${c.units[m].label}${a?"":`, ${T(h(m,s))}`}`,choose:u})}
    </div>
    <p class="said" aria-live="polite" data-testid="said">
      ${a?jt(t,i):Ft(t,s)}${a&&c.name==="target"?f`; <i>p</i> = ${w(Math.exp(Mi(n,c.units[i])))}`:x}
    </p>
    ${gl(c.name==="target")} ${ue(e)}`}function pl(e){let t=B("target",e.target,"words"),n=e.source?.kind==="text"?B("source",e.source,"words"):null,r={pieces:!1,hover:!1,current:-1,asked:!1,value:()=>null};return f`<div class="texts">
      ${n?U({...r,axis:n,side:"columns",name:Xt.source,style:()=>"",label:o=>n.units[o].label}):x}
      ${e.summary===null?x:ke(e.numbers(e.summary),"the one vector")}
      ${U({...r,axis:t,side:"rows",name:Xt.target,style:o=>_i(e,t,o),label:o=>t.units[o].label})}
    </div>
    ${X(e)}`}function Mi(e,t){return t.positions.reduce((n,r)=>n+e.steps[r].logp,0)}function _i(e,t,n){if(t.name!=="target")return"";let r=-Mi(e,t.units[n]);return`text-decoration-thickness:${(1+Math.min(4,r)).toFixed(2)}px`}function gl(e){let t=Array.from({length:9},(n,r)=>Hn(r/8));return f`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${`background:linear-gradient(90deg,${t.join()})`}></i> 1,
      share of the look</span>
    ${e?f`<span><u class="sure">sure</u> <u class="unsure">unsure</u></span>`:x}
  </p>`}var Si=M`
  .texts { display: grid; gap: 1.75rem; }
  .texts > * { min-width: 0; }
  .texts [data-side="rows"] .word:not([data-mark]) {
    text-decoration: underline var(--mark); text-underline-offset: 0.28em;
    text-decoration-skip-ink: none;
  }
  .sure, .unsure { text-decoration-color: var(--mark); text-underline-offset: 0.25em; }
  .sure { text-decoration-thickness: 1px; }
  .unsure { text-decoration-thickness: 4px; }
`;var Ei="regard.explain/1",Ti={u16:2,f16:2,f32:4};async function Ni(e){let{arrays:t,data:n,...r}=JSON.parse(e);if(r.format!==Ei)throw new Error(`This viewer reads records of the format ${Ei}; this one says “${r.format}”. Make the page anew with the regard that wrote the record.`);let o=await bl(n),i=[],s=0;for(let{type:l,shape:u}of t)i.push(s),s+=Ti[l]*Ri(u);if(o.length!==s)throw new Error(`The record is damaged: ${o.length} bytes of numbers, ${s} expected.`);let a=[];return{...r,numbers:l=>(a[l]??=xl(o,i[l],t[l]),a[l])}}async function bl(e){let t=atob(e),n=new Uint8Array(t.length);for(let o=0;o<t.length;o++)n[o]=t.charCodeAt(o);let r=new Blob([n]).stream().pipeThrough(new DecompressionStream("deflate"));return new Uint8Array(await new Response(r).arrayBuffer())}function xl(e,t,{type:n,shape:r}){let o=Ri(r),i=e.slice(t,t+o*Ti[n]).buffer;if(n==="f32")return new Float32Array(i);let s=new Uint16Array(i),a=new Float32Array(o);for(let c=0;c<o;c++)a[c]=n==="u16"?s[c]/65535:wl(s[c]);return a}function wl(e){let t=e&32768?-1:1,n=e>>10&31,r=e&1023;return n===0?t*r*2**-24:n===31?r?Number.NaN:t*Number.POSITIVE_INFINITY:t*(1+r/1024)*2**(n-15)}function Ri(e){return e.reduce((t,n)=>t*n,1)}var Ci=M`
  :host {
    color-scheme: light dark;
    --ink: #1c2430; --soft: #566170; --line: #dfe4ea; --paper: #ffffff; --card: #f6f8fa;
    --accent: #1f5fa8; --accent-soft: #e3edf8; --bar: #35608f; --mark: #b65a00;
    display: block; background: var(--paper); color: var(--ink);
    font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
    font-variant-numeric: tabular-nums; text-align: start;
  }
  @media (prefers-color-scheme: dark) {
    :host {
      --ink: #e6eaf0; --soft: #a3aebc; --line: #323b47; --paper: #14181e; --card: #1c222a;
      --accent: #8ab8f0; --accent-soft: #223349; --bar: #8fb3dd; --mark: #f0a860;
    }
  }
  * { box-sizing: border-box; }
  h2, h3, p, figure { margin: 0; }
  h2 { font-size: 1.05rem; font-weight: 650; overflow-wrap: anywhere; }
  h3 { font-size: 1rem; font-weight: 650; }
  a { color: var(--accent); }
  .soft { color: var(--soft); }
  .small { font-size: 0.875rem; }
  .token { font-weight: 600; font-style: normal; overflow-wrap: anywhere; }
  .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
  .number:not(td *) { font-weight: 600; }
  header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
  header p { color: var(--soft); font-size: 0.875rem; overflow-wrap: anywhere; }
  .hidden {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    white-space: nowrap;
  }

  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
  button, select, input { font: inherit; color: inherit; }
  button, select {
    border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
    padding: 0.25rem 0.65rem; min-height: 2rem; max-width: 100%;
  }
  button { cursor: pointer; }
  button:hover:enabled, select:hover { border-color: var(--soft); }
  button[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); }
  button:disabled { color: var(--soft); cursor: default; }
  select { text-overflow: ellipsis; }
  input[type="range"] { accent-color: var(--accent); vertical-align: middle; }

  [role="tablist"] {
    display: flex; gap: 0.25rem 1.25rem; flex-wrap: wrap; margin: 1rem 0 1.5rem;
    border-bottom: 1px solid var(--line);
  }
  [role="tab"] {
    border: 0; border-radius: 0; background: none; padding: 0.5rem 0; color: var(--soft);
    border-bottom: 2px solid transparent; margin-bottom: -1px; white-space: nowrap;
  }
  [role="tab"][aria-selected="true"] {
    color: var(--ink); border-color: var(--accent); font-weight: 600;
  }
  .panel { display: grid; gap: 1.25rem; min-width: 0; }
  .panel > * { min-width: 0; }
  .controls { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; align-items: end; }
  .controls label, .field { display: grid; gap: 0.15rem; font-size: 0.8125rem; color: var(--soft); }
  .controls label > *, .field button, .field input { font-size: 0.9375rem; color: var(--ink); }
  .controls label.inline {
    display: flex; align-items: center; gap: 0.4rem; min-height: 2rem; color: var(--ink);
    font-size: 0.9375rem;
  }
  .pair { display: flex; }
  .pair button { border-radius: 0; margin-inline-start: -1px; }
  .pair button:first-child { border-start-start-radius: 6px; border-end-start-radius: 6px; }
  .pair button:last-child { border-start-end-radius: 6px; border-end-end-radius: 6px; }

  .said {
    font-size: 1.125rem; line-height: 1.5; max-width: 46rem; overflow: clip;
    overflow-clip-margin: 0.3rem;
  }
  .note { color: var(--soft); font-size: 0.875rem; max-width: 46rem; overflow-wrap: anywhere; }
  .note .number { color: var(--ink); }
  cite { font-style: normal; }
  .note strong { color: var(--ink); font-weight: 600; }
  .made-by { margin-top: 2rem; font-size: 0.8125rem; }
  .empty {
    border: 1px dashed var(--line); border-radius: 8px; padding: 1.5rem; max-width: 46rem;
    background: var(--card);
  }
  .scroll { overflow: auto; max-width: 100%; }
  canvas { display: block; image-rendering: pixelated; }
  .legend { display: flex; flex-wrap: wrap; gap: 0.4rem 1.25rem; align-items: center; }
  .legend span { display: inline-flex; align-items: center; gap: 0.4rem; }
  .ramp { width: 8rem; height: 0.75rem; border-radius: 2px; border: 1px solid var(--line); }
  .strip { width: 100%; height: 1.75rem; border-radius: 3px; border: 1px solid var(--line); }

  @media (prefers-reduced-motion: reduce) {
    * { transition: none !important; animation: none !important; }
  }
  @media (forced-colors: active) {
    button[aria-pressed="true"], [role="tab"][aria-selected="true"] {
      border-color: Highlight; forced-color-adjust: none; background: Highlight;
      color: HighlightText;
    }
  }
  @media print {
    [role="tablist"], .controls { display: none; }
    .scroll { overflow: visible; max-height: none !important; }
  }
`;function yl(e){var t=0,n=e.children,r=n&&n.length;if(!r)t=1;else for(;--r>=0;)t+=n[r].value;e.value=t}function Pi(){return this.eachAfter(yl)}function Li(e,t){let n=-1;for(let r of this)e.call(t,r,++n,this);return this}function Ii(e,t){for(var n=this,r=[n],o,i,s=-1;n=r.pop();)if(e.call(t,n,++s,this),o=n.children)for(i=o.length-1;i>=0;--i)r.push(o[i]);return this}function Hi(e,t){for(var n=this,r=[n],o=[],i,s,a,c=-1;n=r.pop();)if(o.push(n),i=n.children)for(s=0,a=i.length;s<a;++s)r.push(i[s]);for(;n=o.pop();)e.call(t,n,++c,this);return this}function zi(e,t){let n=-1;for(let r of this)if(e.call(t,r,++n,this))return r}function Ui(e){return this.eachAfter(function(t){for(var n=+e(t.data)||0,r=t.children,o=r&&r.length;--o>=0;)n+=r[o].value;t.value=n})}function Oi(e){return this.eachBefore(function(t){t.children&&t.children.sort(e)})}function Bi(e){for(var t=this,n=$l(t,e),r=[t];t!==n;)t=t.parent,r.push(t);for(var o=r.length;e!==n;)r.splice(o,0,e),e=e.parent;return r}function $l(e,t){if(e===t)return e;var n=e.ancestors(),r=t.ancestors(),o=null;for(e=n.pop(),t=r.pop();e===t;)o=e,e=n.pop(),t=r.pop();return o}function qi(){for(var e=this,t=[e];e=e.parent;)t.push(e);return t}function Di(){return Array.from(this)}function ji(){var e=[];return this.eachBefore(function(t){t.children||e.push(t)}),e}function Fi(){var e=this,t=[];return e.each(function(n){n!==e&&t.push({source:n.parent,target:n})}),t}function*Gi(){var e=this,t,n=[e],r,o,i;do for(t=n.reverse(),n=[];e=t.pop();)if(yield e,r=e.children)for(o=0,i=r.length;o<i;++o)n.push(r[o]);while(n.length)}function Be(e,t){e instanceof Map?(e=[void 0,e],t===void 0&&(t=Al)):t===void 0&&(t=kl);for(var n=new Me(e),r,o=[n],i,s,a,c;r=o.pop();)if((s=t(r.data))&&(c=(s=Array.from(s)).length))for(r.children=s,a=c-1;a>=0;--a)o.push(i=s[a]=new Me(s[a])),i.parent=r,i.depth=r.depth+1;return n.eachBefore(_l)}function vl(){return Be(this).eachBefore(Ml)}function kl(e){return e.children}function Al(e){return Array.isArray(e)?e[1]:null}function Ml(e){e.data.value!==void 0&&(e.value=e.data.value),e.data=e.data.data}function _l(e){var t=0;do e.height=t;while((e=e.parent)&&e.height<++t)}function Me(e){this.data=e,this.depth=this.height=0,this.parent=null}Me.prototype=Be.prototype={constructor:Me,count:Pi,each:Li,eachAfter:Hi,eachBefore:Ii,find:zi,sum:Ui,sort:Oi,path:Bi,ancestors:qi,descendants:Di,leaves:ji,links:Fi,copy:vl,[Symbol.iterator]:Gi};function Sl(e,t){return e.parent===t.parent?1:2}function Yn(e){var t=e.children;return t?t[0]:e.t}function Xn(e){var t=e.children;return t?t[t.length-1]:e.t}function El(e,t,n){var r=n/(t.i-e.i);t.c-=r,t.s+=n,e.c+=r,t.z+=n,t.m+=n}function Tl(e){for(var t=0,n=0,r=e.children,o=r.length,i;--o>=0;)i=r[o],i.z+=t,i.m+=t,t+=i.s+(n+=i.c)}function Nl(e,t,n){return e.a.parent===t.parent?e.a:n}function Qt(e,t){this._=e,this.parent=null,this.children=null,this.A=null,this.a=this,this.z=0,this.m=0,this.c=0,this.s=0,this.t=null,this.i=t}Qt.prototype=Object.create(Me.prototype);function Rl(e){for(var t=new Qt(e,0),n,r=[t],o,i,s,a;n=r.pop();)if(i=n._.children)for(n.children=new Array(a=i.length),s=a-1;s>=0;--s)r.push(o=n.children[s]=new Qt(i[s],s)),o.parent=n;return(t.parent=new Qt(null,0)).children=[t],t}function Qn(){var e=Sl,t=1,n=1,r=null;function o(l){var u=Rl(l);if(u.eachAfter(i),u.parent.m=-u.z,u.eachBefore(s),r)l.eachBefore(c);else{var d=l,h=l,m=l;l.eachBefore(function(y){y.x<d.x&&(d=y),y.x>h.x&&(h=y),y.depth>m.depth&&(m=y)});var g=d===h?1:e(d,h)/2,p=g-d.x,b=t/(h.x+g+p),$=n/(m.depth||1);l.eachBefore(function(y){y.x=(y.x+p)*b,y.y=y.depth*$})}return l}function i(l){var u=l.children,d=l.parent.children,h=l.i?d[l.i-1]:null;if(u){Tl(l);var m=(u[0].z+u[u.length-1].z)/2;h?(l.z=h.z+e(l._,h._),l.m=l.z-m):l.z=m}else h&&(l.z=h.z+e(l._,h._));l.parent.A=a(l,h,l.parent.A||d[0])}function s(l){l._.x=l.z+l.parent.m,l.m+=l.parent.m}function a(l,u,d){if(u){for(var h=l,m=l,g=u,p=h.parent.children[0],b=h.m,$=m.m,y=g.m,R=p.m,C;g=Xn(g),h=Yn(h),g&&h;)p=Yn(p),m=Xn(m),m.a=l,C=g.z+y-h.z-b+e(g._,h._),C>0&&(El(Nl(g,l,d),l,C),b+=C,$+=C),y+=g.m,b+=h.m,R+=p.m,$+=m.m;g&&!Xn(m)&&(m.t=g,m.m+=y-$),h&&!Yn(p)&&(p.t=h,p.m+=b-R,d=l)}return d}function c(l){l.x*=t,l.y=l.depth*n}return o.separation=function(l){return arguments.length?(e=l,o):e},o.size=function(l){return arguments.length?(r=!1,t=+l[0],n=+l[1],o):r?null:[t,n]},o.nodeSize=function(l){return arguments.length?(r=!0,t=+l[0],n=+l[1],o):r?[t,n]:null},o}var Wi=132,Zn=34,Cl=112,Pl=24,qe=-1;function Vi(e){let{record:t,choice:n,change:r}=e,{beam:o}=t;if(!o)return ie(f`This record has no beam: the target was ${t.made.search==="given"?"given by hand":`found by ${t.made.search??"another search"}`}, and no hypotheses were kept beside it. Explain with a beam search to see them.`);let i=Ll(o,n.cut),s=o.fates.filter(l=>l==="cut").length,a=o.best.at(-1)??qe,c=i.some(({data:l})=>l.node===n.node)?n.node??a:a;return f`<div class="controls">
      <label class="inline"><input type="checkbox" data-testid="cut" .checked=${n.cut}
        @change=${()=>r({cut:!n.cut})}> show the ${s} candidates that were cut</label>
      <p class="note">Beam of ${o.width}. Score = total log-probability / length<sup>α</sup>, α = ${o.alpha}:
        without it, short sentences would win.</p>
    </div>
    ${Ul(e,o,c)} ${Il(e,o,i,c)}
    <p class="legend small soft"><span><i class="node best key-node"></i> the best</span>
      <span><i class="node key-node"></i> carried on</span>
      <span><i class="node ended key-node"></i> ended</span>
      ${n.cut?f`<span><i class="node cut key-node"></i> cut</span>`:f`<span>+3: so many were cut there</span>`}</p>`}function Ll(e,t){let n=[qe,...e.parents.keys()].map(o=>({node:o,children:[],folded:0}));e.parents.forEach((o,i)=>{let s=n[o+1];e.fates[i]==="cut"&&!t?s.folded++:s.children.push(n[i+1])});for(let{children:o}of n)o.sort((i,s)=>e.totals[s.node]-e.totals[i.node]);return Qn().nodeSize([Zn,Wi]).separation(()=>1)(Be(n[0])).descendants()}function Il(e,t,n,r){let o=Math.min(...n.map(m=>m.x)),i=Math.max(...n.map(m=>m.x))-o+Zn,s=Math.max(...n.map(m=>m.y))+Wi+24,a=new Set([qe,...t.best]),c=({data:m})=>a.has(m.node),l=m=>m.x-o+Zn/2,u=n.filter(m=>m.parent).sort((m,g)=>Number(c(m))-Number(c(g))).map(m=>{let g=m.parent,[p,b,$,y]=[g.y+Cl,l(g),m.y,l(m)];return $r`<path class=${c(m)?"best":""} d=${`M${p} ${b}C${p+12} ${b} ${$-12} ${y} ${$} ${y}`} />`}),d=(m,g=!0)=>e.change({node:m},g?`[data-node="${m}"]`:void 0),h=m=>{let g=Hl(m.key,n,r);g!==void 0&&(m.preventDefault(),d(g))};return f`<div class="scroll beam" data-testid="beam">
    <div .style=${`position:relative;width:${s}px;height:${i}px`}>
      <svg aria-hidden="true" width=${s} height=${i}>${u}</svg>
      <div role="tree" aria-label="hypotheses of the beam" @keydown=${h}>
        ${n.map(m=>{let{node:g,folded:p}=m.data,b=g===qe,$=b?"kept":t.fates[g],y=H(b?"<s>":t.pieces[g]),R=b?1:Math.exp(t.logps[g]);return f`<div role="treeitem" class="node ${$} ${c(m)?"best":""}" data-testid="node"
            data-node=${g} data-fate=${$} data-best=${c(m)} tabindex=${g===r?0:-1}
            aria-selected=${g===r} aria-level=${m.depth+1} title=${y}
            @click=${()=>d(g)} .style=${`left:${m.y}px;top:${l(m)-Pl/2}px`}>
            <bdi dir="auto">${y}</bdi>${b?x:f`<small>${w(R)}</small>`}
            ${p?f`<span class="folded">+${p}<span class="hidden"> cut</span></span>`:x}
            <span class="hidden">${b?"":$}${c(m)?", on the best path":""}</span></div>`})}
      </div>
    </div>
  </div>`}function Hl(e,t,n){let r=t.find(({data:a})=>a.node===n);if(!r)return;let o=t.filter(({depth:a})=>a===r.depth).sort((a,c)=>a.x-c.x),i=o.indexOf(r);return{ArrowLeft:r.parent,ArrowRight:r.children?.[0],ArrowUp:o[i-1],ArrowDown:o[i+1],Home:t[0],End:t.reduce((a,c)=>c.depth>a.depth?c:a)}[e]?.data.node}var zl={kept:"was carried on",cut:"was cut: others scored higher",ended:"ended here"};function Ul(e,t,n){if(n===qe)return f`<p class="said" data-testid="said">Before the first piece nothing has been said.</p>`;let r=[];for(let l=n;l!==qe;l=t.parents[l])r.unshift(l);let i=r.map(l=>t.pieces[l]).filter(l=>l!=="</s>").join("").replaceAll("▁"," ").trim()||"Nothing",s=t.best.indexOf(n),a=t.totals[n],c=()=>e.change({view:"walk",row:s,column:-1,stage:0},"#tab-walk");return f`<div class="detail" data-testid="detail">
    <p class="said" data-testid="said">${_(i)} ${zl[t.fates[n]]}.</p>
    <p class="note">log-probability of the last piece ${w(t.logps[n])}; in all ${w(a)};
      score with length ${r.length}: ${w(a/r.length**t.alpha)}
      ${s>=0?f`<button data-testid="to-walk" @click=${c}>
              How was this piece chosen?</button>`:x}</p>
  </div>`}var Ki=M`
  .beam { max-height: 75vh; border: 1px solid var(--line); border-radius: 8px; padding: 0.75rem; }
  .beam svg { position: absolute; inset: 0; }
  .beam path { fill: none; stroke: var(--line); stroke-width: 1.5; }
  .beam path.best { stroke: var(--accent); stroke-width: 3; }
  .node {
    position: absolute; width: 112px; height: 24px; display: flex; gap: 0.3rem; align-items: center;
    padding: 0 0.4rem;
    border: 1px solid var(--line); border-radius: 5px; background: var(--paper);
    font-size: 0.8125rem; cursor: pointer;
  }
  .node bdi {
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: 1; min-width: 0;
  }
  .node .number { font-weight: 400; }
  .node small { color: var(--soft); font-size: 0.6875rem; }
  .node.best { border-color: var(--accent); background: var(--accent-soft); }
  .node.best small { color: var(--ink); }
  .node.ended { border-radius: 12px; border-width: 2px; border-color: var(--soft); }
  .node.ended.best { border-color: var(--accent); }
  .node.cut { border-style: dashed; color: var(--soft); }
  .node[aria-selected="true"] { box-shadow: 0 0 0 2px var(--accent); }
  .folded {
    position: absolute; right: 2px; top: -11px; font-size: 10px; line-height: 10px;
    color: var(--soft);
  }
  .key-node { position: static; width: 1.5rem; height: 0.9rem; cursor: default; }
  .detail { display: grid; gap: 0.25rem; }
`;function er({record:e,choice:t}){let{walk:n}=e;return n!==null&&(!t.chosen||n.look===t.look&&n.head===t.head)}function Yi(e){let{record:t,choice:n}=e,r=er(e)?t.walk:null,o=I(t,r?.look??n.look);if(!o||o.kind==="reading")return null;let i=fn(t,o,"pieces")[1].units,s=Math.min(n.row,t.steps.length-1),a={record:t,look:o,step:s,units:i,temperature:n.temperature};return r?Ol(a,r):Bl(a,n.head)}function Ol(e,t){let{record:n,step:r,units:o}=e,i=m=>Jn(n.numbers(m),r,n.steps.length),s=n.numbers(t.values),a=s.length/o.length,c=o.map((m,g)=>Math.hypot(...s.subarray(g*a,(g+1)*a))),l=i(t.scores),u=i(t.weights),d=Xi(e,l,u),h={query:i(t.queries),keys:n.numbers(t.keys),scale:t.scale,energy:t.energy===null?null:n.numbers(t.energy),context:Oo(d,s)};return{look:e.look,step:r,units:o,scores:l,recorded:u,weights:d,norms:c,inside:h}}function Bl(e,t){let{record:n,look:r,step:o,units:i}=e,s=n.steps.length,a=Jn(te(n.numbers(r.weights),r.heads,t),o,s),c=te(n.numbers(r.norms),r.heads,t),u=r.scores!==void 0&&typeof t=="number"?Jn(te(n.numbers(r.scores),r.heads,t),o,s):null,h=u&&e.temperature!==1?Xi(e,u,a):Array.from(a);return{look:r,step:o,units:i,scores:u,recorded:a,weights:h,norms:c,inside:null}}function Xi(e,t,n){let{look:r,temperature:o}=e,i=Bo(r.weighing.name,t,o);if(r.span.name!=="local-predictive")return i;let s=Dn(t);return i.map((a,c)=>s[c]?a*n[c]/s[c]:0)}function Jn(e,t,n){let r=e.length/n;return e.subarray(t*r,(t+1)*r)}var Zt=6;function tr({weights:e,norms:t}){let n=e.map((o,i)=>o*t[i]),r=n.reduce((o,i)=>o+i,0)||1;return n.map(o=>o/r)}function Qi(e,t,n){let r=_(H(e.target.pieces[t.step])),o=g=>_(t.units[g].label),i=t.scores??t.weights,s=i.filter(g=>g>Number.NEGATIVE_INFINITY).length,[a,c]=se(t.weights),l=tr(t),u=N(l),h=e.steps[t.step].top.find(([g])=>g!==e.target.pieces[t.step]);return[()=>f`Step ${t.step+1} of ${e.steps.length}: before it says ${r}, the decoder asks
      ${t.inside?f`with ${t.inside.query.length} numbers`:"its question"}.`,()=>t.scores?f`${o(N(i))} answers best of ${s}, with a score of ${w(i[N(i)])}.`:f`These are several heads at once: they have no scores in common.`,()=>f`${o(a)} gets ${w(t.weights[a])} of the look${c===void 0?"":f`, ${o(c)} ${w(t.weights[c])}`}.`,()=>f`Weighed by the length of its value, ${o(u)} brings ${w(l[u])} of all that
      is taken.`,()=>f`${w(l[u])} of the context comes from ${o(u)}.`,()=>f`The model says ${r} with <i>p</i> = ${w(Math.exp(e.steps[t.step].logp))}${h?f`; next to it ${_(H(h[0]))} ${w(Math.exp(h[1]))}`:""}.`][n]()}var rr=matchMedia("(prefers-reduced-motion: reduce)");function Zi(e){if(!e.record.looks.length)return X(e.record);let t=Yi(e);if(!t)return f`<div class="empty" data-testid="empty"><p>The encoder reads all words at once: there
      are no steps to walk through. ${Ji(e)}</p></div>`;let{column:n}=e.choice,r=n<0?N(t.weights):Math.min(n,t.units.length-1),{stage:o}=e.choice,i=a=>`stage ${a===o?"now":""}`,{inside:s}=t;return f`<div class="walk" @keydown=${a=>jl(a,e)}>
    ${ql(e,t)} ${Dl(e)}
    <p class="said" role="status" aria-live="polite" data-testid="said">${Qi(e.record,t,o)}</p>
    ${Fl(e,t)}
    <section class=${i(0)} data-testid="stage-0"><h3>1. The state asks</h3>
      ${s?ke(s.query,"the query q, the decoder’s state as it asks"):nr(e,"the query")}
    </section>
    <div class="middle">
      <section class="answers ${o>0&&o<4?"now":""}">${xi(e,t,r)}
        ${s?ni(t,r):nr(e,"what each score sums")}</section>
      <div class="sides">
        <section class=${i(1)} data-testid="stage-1"><h3>2. Each word’s key answers</h3>
          ${s?ei(s.energy!==null):x}
          <p class="note">${t.look.score.formula} <br><cite>${t.look.score.citation}</cite></p>
        </section>
        <section class=${i(2)} data-testid="stage-2"><h3>3. Scores become shares</h3>
          ${ti(t.look.weighing.name,t.look.span.name==="local-predictive")}
          ${Gl(e,t)}
        </section>
        <section class=${i(3)} data-testid="stage-3"><h3>4. Each share takes its value</h3>
          <p class="note">Weight alone misleads: a word with a short value brings little, whatever its
            weight. The last bars are weight × ‖value‖; the largest share of what is taken is
            ${w(Math.max(...tr(t)))}.</p>
        </section>
      </div>
    </div>
    <section class=${i(4)} data-testid="stage-4"><h3>5. The sum is the context</h3>
      ${s?ke(s.context,"the context, Σ weight · value"):nr(e,"the context")}
    </section>
    <section class=${i(5)} data-testid="stage-5"><h3>6. The model speaks</h3>
      ${wi(e.record,t.step)}
      ${e.choice.temperature===1?x:f`<p class="note">The model’s own, at τ = 1: only the model itself can say what it would
              have said at another temperature.</p>`}
    </section>
  </div>`}function ql({record:e,change:t},{step:n}){let r=B("target",e.target,"pieces");return U({axis:r,side:"rows",name:"target, piece by piece",pieces:!0,hover:!1,current:n,asked:!0,value:()=>null,style:()=>"",label:o=>`step ${o+1}, ${r.units[o].label}`,choose:(o,i)=>t({row:o,column:-1,playing:!1},i)})}function Dl({record:e,choice:t,change:n}){let r=o=>n({...Jt(t,e.steps.length,o),playing:!1});return f`<div class="controls">
    <span class="pair">
      <button data-testid="back" @click=${()=>r(-1)}>← Back</button>
      <button data-testid="play" aria-pressed=${t.playing} ?disabled=${rr.matches}
        @click=${()=>n({playing:!t.playing})}>${t.playing?"Pause":"Play"}</button>
      <button data-testid="forward" @click=${()=>r(1)}>Forward →</button>
    </span>
    <label>speed <select data-testid="pace"
      @change=${o=>n({pace:Number(o.target.value)})}>
      ${[[4,"slow"],[2,"steady"],[1,"quick"]].map(([o,i])=>f`<option value=${o} ?selected=${o===t.pace}>${i}</option>`)}
    </select></label>
    <span class="soft small" data-testid="stage">stage ${t.stage+1} of ${Zt}${rr.matches?"; your system asks for less motion, so step by hand":""}</span>
  </div>`}function Jt(e,t,n){let r=e.stage+n;if(r>=0&&r<Zt)return{stage:r};let o=e.row+n;return o<0||o>=t?{playing:!1}:{row:o,column:-1,stage:n>0?0:Zt-1}}function jl(e,{record:t,choice:n,change:r}){let o=e.target.closest("button, select, input, [role=button]"),i=e.key===" "?"button, select, input":"select, input, [role=button]";if(o?.matches(i))return;let s={ArrowRight:1,ArrowLeft:-1}[e.key];if(e.key===" "&&!rr.matches)r({playing:!n.playing});else if(s)r({...Jt(n,t.steps.length,s),playing:!1});else return;e.preventDefault()}function Fl(e,t){let{record:n,choice:r}=e,o=er(e)&&n.walk?n.walk.head:r.head,i=n.looks.length>1||t.look.heads>1;return f`<p class="note" data-testid="caption">
    <strong>${Oe(n,t.look,{head:o,shift:0})}</strong>.
    ${t.inside?"The record has all numbers of this head.":f`The record has the inside of another head. ${Ji(e)}`}
    ${i?"The model speaks from all its heads and layers together; this is one of them.":x}
    ${n.pointer?.shift&&t.inside?"The reading view shows this head a step later, when the piece had been read in.":x}</p>`}function Ji({record:e,change:t}){return e.walk?f`<button data-testid="whole" @click=${()=>t(D(e),'[data-testid="forward"]')}>
    Show the head with all numbers</button>`:x}function nr({choice:e},t){let n=typeof e.head=="number"?e.head:0;return f`<p class="note">This record does not have ${t} of this head. To get it:
    <code>regard explain … --look ${e.look} --head ${n}</code></p>`}function Gl({choice:e,change:t},n){if(!n.scores)return f`<p class="note">A ${e.head} of heads has no scores of its own.</p>`;let r=Math.max(...n.weights.map((s,a)=>Math.abs(s-n.recorded[a]))),o=e.temperature,i=s=>t({temperature:2**Number(s.target.value)});return f`${n.look.weighing.name==="hard"?x:f`<label class="field" for="temperature">
          temperature τ = ${o===1?"1, the model’s own":w(o)}
          <input id="temperature" data-testid="temperature" type="range" min="-3" max="3" step="0.25"
            .value=${String(Math.log2(o))}
            @input=${i}>
        </label>`}
  ${n.look.span.name==="local-predictive"?f`<p class="note">The softmax is computed again in your browser. The Gaussian is what the
          model’s own weights have more or less than that: the record does not have p and D.</p>`:x}
  ${o===1&&!n.inside?f`<p class="note">These are the model’s own weights; at another τ they are computed in your
          browser, from scores in half precision.</p>`:o===1?f`<p class="note">Computed again in your browser; the model’s own weights differ by at most
          <data data-testid="apart" data-value=${r} value=${r}
            >${r.toExponential(0).replace("-","−")}</data>.</p>`:f`<p class="note">Not the model’s own weights any more.
          <button data-testid="own" @click=${()=>t({temperature:1},"#temperature")}>Back to τ = 1</button></p>`}`}var es=M`
  .walk { display: grid; gap: 1.25rem; }
  .walk > * { min-width: 0; }
  .middle {
    display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.25rem;
    align-items: start;
  }
  .sides { display: grid; gap: 1.25rem; }
  .stage, .answers {
    border-inline-start: 3px solid var(--line); padding: 0.1rem 0 0.1rem 1rem; display: grid;
    gap: 0.6rem; min-width: 0;
  }
  .stage > *, .answers > * { min-width: 0; }
  .walk .now { border-color: var(--accent); }
  .walk .now > h3 { color: var(--accent); }
  .walk code { font-size: 0.85em; overflow-wrap: anywhere; }
  @media (max-width: 52rem) { .middle { grid-template-columns: minmax(0, 1fr); } }
`;var ts=[["uniform","look everywhere alike","Every look at the source was spread evenly over all of it."],["hidden","hide a word","No look was allowed to see this word; the encoder still read it."],["left out","leave a word out","The model read the source without this word."]];function ns(e){let{record:t,choice:n}=e,{whatifs:r}=t;if(!r?.kinds.length)return ie(f`This record has no interventions. They are the honest test of whether a word
      mattered: the model reads the same target again with a word hidden or left out. Ask for them when
      you explain.`);let o=Math.min(n.whatif,r.kinds.length-1),i=r.kinds[o];return f`${Wl(e,r,o)} ${Vl(t,r,o)}
    ${Kl(t,r,o)}
    <p class="note">${ts.find(([s])=>s===i)?.[2]} The target stayed as it was; only its
      probabilities were computed again, by the model. <strong>This is a test of cause:</strong> where a
      probability falls, the change made it fall. Attention says only where the model looked.</p>`}function Wl({record:e,change:t},n,r){let[o,i]=[n.kinds[r],n.words[r]],s=rs(e,n),a=p=>n.kinds.flatMap((b,$)=>b===p?[$]:[]),c=p=>a(p).reduce((b,$)=>s[$]>s[b]?$:b),{source:l}=e,u=l?.kind==="text"?B("source",l,"words"):null,d=u&&{...u,units:u.units.filter(p=>!p.mark)},h=p=>a(o).find(b=>n.words[b]===p)??r,m=p=>s[h(p)],g=Math.max(...a(o).map(p=>s[p]));return f`<div class="pair wrap" role="group" aria-label="what to change">
      ${ts.filter(([p])=>a(p).length).map(([p,b])=>f`<button data-testid="whatif-kind" data-kind=${p}
          aria-pressed=${p===o}
          @click=${()=>t({whatif:c(p)})}>${b}</button>`)}
    </div>
    ${d&&i!==null?f`${U({axis:d,side:"columns",name:`choose the word to ${o==="hidden"?"hide":"leave out"}; the stronger its colour, the more the sentence loses by it`,pieces:!1,hover:!1,current:i,asked:!0,value:m,style:p=>`${$e(m(p)/g)};${p===i?"text-decoration:line-through 2px":""}`,label:p=>d.units[p].label,choose:(p,b)=>t({whatif:h(p)},b)})}`:x}`}function rs(e,t){let n=e.numbers(t.logps),{steps:r}=e;return t.kinds.map((o,i)=>r.reduce((s,{logp:a},c)=>s+a-n[i*r.length+c],0))}function os(e,t,n){let r=e.steps.length,o=e.numbers(t.logps),i=e.numbers(t.says_logps);return e.steps.map(({logp:s},a)=>({before:Math.exp(s),after:Math.exp(o[n*r+a]),says:t.says[n][a],saysP:Math.exp(i[n*r+a])}))}function Vl(e,t,n){let r=os(e,t,n),[o]=se(r.map(({before:u,after:d})=>Math.abs(d-u))),{before:i,after:s,says:a}=r[o],c=e.target.pieces[o],l=rs(e,t)[n];return f`<p class="said" data-testid="said">
    ${_(H(c))} ${s<i?"falls":"rises"} from ${w(i)} to ${w(s)}${a===c?"":f`; ${_(H(a))} would be said instead`}. <span class="soft">The whole sentence ${l>0?"loses":"gains"} ${w(Math.abs(l))} nats.</span></p>`}function Kl(e,t,n){return f`<div class="scroll" role="region" tabindex="0" aria-label="before and after">
    <table class="moves" data-testid="whatif" data-index=${n}>
    <caption class="hidden">Probability of each piece before and after</caption>
    <thead><tr><th scope="col">piece</th><th scope="col">before</th>
      <th scope="col"><span class="hidden">drawn</span></th>
      <th scope="col">after</th><th scope="col">the model would say</th></tr></thead>
    <tbody>${os(e,t,n).map(({before:r,after:o,says:i,saysP:s},a)=>{let c=e.target.pieces[a];return f`<tr>
        <th scope="row">${_(H(c))}</th>
        <td data-testid="before">${w(r)}</td>
        <td class="slope">${Yl(r,o)}</td>
        <td data-testid="after">${w(o)}</td>
        <td data-testid="says">${i===c?f`<span class="soft">the same</span>`:f`${_(H(i))} ${w(s)}`}</td></tr>`})}</tbody></table></div>`}function Yl(e,t){let[n,r]=e<t?[e,t]:[t,e],o=r-n<.005?"still":t<e?"down":"up";return f`<span class="track" role="img" aria-label=${`from ${T(e)} to ${T(t)}`}>
    <i class="way ${o}" .style=${`left:${100*n}%;width:${100*(r-n)}%`}></i>
    <i class="ring" .style=${`left:${100*e}%`}></i>
    <i class="disc ${o}" .style=${`left:${100*t}%`}></i></span>`}var is=M`
  .wrap { flex-wrap: wrap; }
  .moves { border-collapse: collapse; width: 100%; max-width: 52rem; font-size: 0.9375rem; }
  .moves th, .moves td {
    padding: 0.2rem 0.6rem; text-align: start; border-top: 1px solid var(--line);
    white-space: nowrap;
  }
  .moves thead th { border: 0; font-weight: 500; color: var(--soft); font-size: 0.875rem; }
  .moves tbody th {
    font-weight: 400; padding-inline-start: 0; max-width: 12rem; overflow: hidden;
    text-overflow: ellipsis;
  }
  .slope { width: 45%; min-width: 9rem; }
  .track {
    position: relative; display: block; height: 1rem;
    background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat;
  }
  .track i { position: absolute; top: 50%; }
  .way { height: 4px; margin-top: -2px; background: var(--bar); }
  .way.down, .disc.down { background: var(--mark); }
  .way.still, .disc.still { background: var(--soft); }
  .ring, .disc { width: 11px; height: 11px; margin: -5.5px; border-radius: 50%; }
  .ring { border: 2px solid var(--soft); background: var(--paper); }
  .disc { background: var(--bar); }
  @media (forced-colors: active) { .way, .disc { background: CanvasText !important; forced-color-adjust: none; } }
`;var lt=()=>!0,ss=e=>e.source?.kind==="image",or=[{id:"image",title:"Picture",draw:vi,fits:e=>ss(e[0])},{id:"reading",title:"Reading",draw:Ai,fits:e=>!ss(e[0])},{id:"matrix",title:"Matrix",draw:bi,fits:lt},{id:"walk",title:"Step walk",draw:Zi,fits:lt},{id:"heads",title:"Layers × heads",draw:hi,fits:lt},{id:"beam",title:"Beam",draw:Vi,fits:lt},{id:"compare",title:"Side by side",draw:Ko,fits:e=>e.length>1},{id:"whatif",title:"What if",draw:ns,fits:lt}],en=class extends ae{static styles=[Ci,Po,Si,li,ii,yi,ri,es,mi,Ki,Yo,ki,is];#e=[];#t=null;#o="";#r="";#i=0;#s=960;#a=new ResizeObserver(([t])=>{this.#s=t.contentRect.width,this.requestUpdate()});#l=matchMedia("(prefers-color-scheme: dark)");#c=()=>this.requestUpdate();#u=()=>this.#n(this.#d());connectedCallback(){super.connectedCallback(),this.#a.observe(this),this.#l.addEventListener("change",this.#c),window.addEventListener("hashchange",this.#u);let t=this.querySelectorAll(':scope > script[type="application/json"]');this.show(Array.from(t,n=>n.textContent??""))}disconnectedCallback(){super.disconnectedCallback(),clearTimeout(this.#i),this.#a.disconnect(),this.#l.removeEventListener("change",this.#c),window.removeEventListener("hashchange",this.#u)}async show(t){try{if(this.#e=await Promise.all(t.map(Ni)),!this.#e.length)throw new Error("There is no record here to show.");let n=or.filter(r=>r.fits(this.#e));this.#t={...Go(this.#e,n[0].id),...this.#d()}}catch(n){this.#o=n instanceof Error?n.message:String(n)}this.requestUpdate(),await this.updateComplete,performance.mark("regard-ready"),this.dispatchEvent(new Event("regard-ready"))}#d(){let[t,n]=this.#f()?location.hash.slice(1).split("/"):[],r=or.find(i=>i.id===t&&i.fits(this.#e));if(!r)return{};let o=Number(n)-1;return o>=0?{view:r.id,row:o,column:-1}:{view:r.id}}#f(){return location.protocol!=="about:"&&document.querySelectorAll("regard-view").length===1}#n(t,n=""){if(!this.#t)return;let r=t.record,o=r===void 0?{}:D(this.#e[r]);this.#t={...this.#t,...o,...t},this.#r=n;let{view:i,row:s}=this.#t,a=i==="walk"?`#walk/${s+1}`:`#${i}`;(t.view||i==="walk")&&this.#f()&&location.hash!==a&&history.replaceState(null,"",a),this.requestUpdate()}updated(t){clearTimeout(this.#i);let n=this.#t;if(n?.playing){let o=this.#e[n.record].steps.length,i=()=>this.#n(Jt(n,o,1));this.#i=window.setTimeout(i,n.pace*1e3)}if(!this.#r)return;let r=this.renderRoot.querySelector(this.#r);this.#r="",r?.focus()}render(){let t=this.#t;if(this.#o)return f`<p class="empty" role="alert">${this.#o}</p>`;if(!t)return f``;let n=this.#e,r=n[t.record],o={records:n,record:r,choice:t,width:this.#s,change:(a,c)=>this.#n(a,c)},i=or.filter(a=>a.fits(n)),s=i.find(a=>a.id===t.view)??i[0];return f`${this.#h(o)}
      <div role="tablist" aria-label="views" @keydown=${a=>this.#p(a,i)}>
        ${i.map(a=>f`<button role="tab" id=${`tab-${a.id}`} data-testid=${`tab-${a.id}`}
            aria-selected=${a===s} aria-controls="panel" tabindex=${a===s?0:-1}
            @click=${()=>this.#n({view:a.id,playing:!1})}>${a.title}</button>`)}
      </div>
      <section class="panel" role="tabpanel" id="panel" data-testid=${`view-${s.id}`}
        aria-labelledby=${`tab-${s.id}`}>${s.draw(o)}</section>
      ${this.#m(r)}`}#h({records:t,record:n,choice:r}){let{model:o,made:i}=n,s=t.length>1?f`<h2 class="hidden">${t.length} models</h2><label>model <select data-testid="model" @change=${c=>this.#n({record:Number(c.target.value)})}>
            ${t.map((c,l)=>f`<option value=${l} ?selected=${l===r.record}>
                ${c.model.name}</option>`)}</select></label>`:f`<h2>${o.name}</h2>`,a=[o.about,i.search,i.engine&&`engine ${i.engine}`,i.precision];return f`<header>${s}
      <p>${a.filter(Boolean).join(" · ")}${i.search==="given"?" (the target was given, not the model’s own)":x}</p></header>`}#m({model:t,made:n}){let r=[`${t.parameters.toLocaleString("en")} parameters`,`weights ${t.sha256.slice(0,12)}`,n.regard&&`regard ${n.regard}`,n.torch&&`torch ${n.torch}`];return f`<p class="note made-by" data-testid="provenance" title=${t.sha256}>
      ${r.filter(Boolean).join(" · ")}</p>`}#p(t,n){let r=n.findIndex(({id:s})=>`tab-${s}`===t.target.id),o=n.length-1,i={ArrowRight:r===o?0:r+1,ArrowLeft:r<=0?o:r-1,Home:0,End:o}[t.key];i!==void 0&&(t.preventDefault(),this.#n({view:n[i].id,playing:!1},`#tab-${n[i].id}`))}};customElements.get("regard-view")||customElements.define("regard-view",en);
